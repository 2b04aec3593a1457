import { z } from "zod";
import { type Operation, route } from "../../http/server/api-route.ts";
import { bodyOf, Done } from "../../http/server/checked-body.ts";
import type { HttpContext } from "../../http/server/context.ts";
import { arrivalAt, visitorAt } from "../../dashboard/server/visitor.ts";
import { maybeSignedInAt } from "../server/member-access.ts";
import { deviceCookie } from "../sign-in/device-cookie.ts";
import { type MemberApi, memberRoute, type MemberRoute } from "./member-api.ts";

const LONGEST = 100;
const text = z.string().max(LONGEST);

const CodeWish = z.object({ mobile: text }).meta({ title: "CodeWish" });
const CodeEntry = z.object({ mobile: text, code: text }).meta({ title: "CodeEntry" });
const CodeSent = z
  .object({ ok: z.literal(true), good_for: z.number().describe("Seconds") })
  .meta({ title: "CodeSent" });

/** Who is signed in on this device; nobody, when there is no user. */
export const Me = z
  .object({ user: z.object({ id: z.string(), name: z.string() }).exactOptional() })
  .meta({ title: "Me" });

const DeviceWire = z
  .object({
    id: z.string(),
    created_at: z.number().describe("Unix seconds"),
    seen_at: z.number().describe("Unix seconds"),
    browser: z.string(),
    current: z.boolean(),
  })
  .meta({ title: "Device" });

/** The devices on which a member is signed in. */
export const DeviceList = z.object({ data: z.array(DeviceWire) }).meta({ title: "DeviceList" });

const open = (
  address: `${"GET" | "POST"} /app/api/${string}`,
  handle: (c: HttpContext, api: MemberApi) => Promise<Response> | Response,
  operation: Operation,
): MemberRoute => route(address, handle, { ...operation, open: true });

/** Declares the routes by which devices are signed in and out. */
export const DEVICE_ROUTES: readonly MemberRoute[] = [
  open(
    "GET /app/api/me",
    (c) => {
      const found = maybeSignedInAt(c);
      if (found === undefined) return c.json({});
      const { id, name } = found.member;
      return c.json({ user: { id, name } });
    },
    { id: "me", summary: "Who is signed in on this device", answer: Me },
  ),
  open(
    "POST /app/api/sign-in",
    async (c, { signIn }) => {
      const { mobile } = await bodyOf(c, CodeWish);
      return c.json({ ok: true, good_for: (await signIn.ask(mobile, visitorAt(c))) / 1000 });
    },
    { id: "askForCode", summary: "Have a code sent to a mobile number", body: CodeWish, answer: CodeSent },
  ),
  open(
    "POST /app/api/sign-in/code",
    async (c, { signIn, devices }) => {
      const { mobile, code } = await bodyOf(c, CodeEntry);
      const token = await signIn.enter(mobile, code, visitorAt(c));
      // Nobody has the cookie of the one before any more: what they were told there would be told to the new one.
      const before = maybeSignedInAt(c);
      if (before !== undefined) await devices.end(before.member.id, before.device.id);
      c.header("set-cookie", deviceCookie(token, arrivalAt(c)));
      return c.json({ ok: true });
    },
    { id: "signIn", summary: "Sign this device in with the code", body: CodeEntry, answer: Done },
  ),
  memberRoute(
    "POST /app/api/sign-out",
    async ({ c, api, member, device }) => {
      await api.devices.end(member.id, device.id);
      c.header("set-cookie", deviceCookie("", arrivalAt(c)));
      return c.json({ ok: true });
    },
    { id: "signOut", summary: "Sign this device out", answer: Done },
  ),
  memberRoute(
    "GET /app/api/devices",
    async ({ c, api, member, device }) => {
      const data = (await api.devices.list(member.id)).map(({ id, createdAt, seenAt, browser }) => ({
        id,
        created_at: Math.floor(createdAt / 1000),
        seen_at: Math.floor(seenAt / 1000),
        browser,
        current: id === device.id,
      }));
      return c.json({ data });
    },
    { id: "listDevices", summary: "The member's devices, newest first", answer: DeviceList },
  ),
  memberRoute(
    "DELETE /app/api/devices/{device_id}",
    async ({ c, api, member, id }) => {
      await api.devices.end(member.id, id);
      return c.json({ ok: true });
    },
    { id: "endDevice", summary: "Sign one of the member's devices out", answer: Done },
  ),
];
