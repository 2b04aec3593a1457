import { z } from "zod";
import { arrivalAt } from "../../dashboard/server/visitor.ts";
import { bodyOf, Done } from "../../http/server/checked-body.ts";
import { memberRoute, type MemberRoute } from "./member-api.ts";

const PUSH = "/app/api/push";
const BASE64URL = /^[\w-]+={0,2}$/;

const PushState = z
  .object({
    key: z.string().describe("The server's public key, as base64url"),
    on: z.boolean().describe("Whether this device is told of answers"),
  })
  .meta({ title: "PushState" });

const Subscription = z
  .object({
    endpoint: z.url({ protocol: /^https?$/ }).max(2000),
    keys: z.object({
      // A point of P-256, uncompressed, and 16 bytes.
      p256dh: z.string().length(87).regex(BASE64URL),
      auth: z.string().min(22).max(24).regex(BASE64URL),
    }),
  })
  .meta({ title: "PushSubscription", description: "As the browser's PushSubscription.toJSON() gives it." });

/** Declares the routes of messages to a device whose app is closed. */
export const PUSH_ROUTES: readonly MemberRoute[] = [
  memberRoute(
    `GET ${PUSH}`,
    async ({ c, api: { pushes }, device }) =>
      c.json({ key: await pushes.publicKey(), on: await pushes.isSubscribed(device.id) }),
    { id: "pushState", summary: "Whether this device is told of answers", answer: PushState },
  ),
  memberRoute(
    `POST ${PUSH}`,
    async ({ c, api: { pushes }, member, device }) => {
      const { endpoint, keys } = await bodyOf(c, Subscription);
      const { secure, host } = arrivalAt(c);
      const origin = `${secure ? "https" : "http"}://${host}`;
      // Of the device that asks, whatever it says: nobody subscribes to what is another one's.
      await pushes.subscribe({ device: device.id, user: member.id, endpoint, keys, origin });
      return c.json({ ok: true });
    },
    { id: "subscribe", summary: "Have this device told of answers", body: Subscription, answer: Done },
  ),
  memberRoute(
    `DELETE ${PUSH}`,
    async ({ c, api: { pushes }, device }) => {
      await pushes.unsubscribe(device.id);
      return c.json({ ok: true });
    },
    { id: "unsubscribe", summary: "Tell this device of nothing more", answer: Done },
  ),
];
