import { z } from "zod";
import {
  AddressDraftBody,
  AddressPatchBody,
  AddressRecord,
  SentEventDetail,
  SentEventRecord,
} from "../../automation/outgoing/index.ts";
import { route } from "../../http/server/api-route.ts";
import { bodyOf, type DashboardApi, type DashboardRoute, Done, noteAt, reads } from "./dashboard-api.ts";
import { PAGE_QUERY, wantedPage, type WantedPage } from "./list-page.ts";

/** An address with its secret, which is shown once. */
export const NewAddressWire = z
  .object({ address: AddressRecord, secret: z.string() })
  .meta({ title: "NewWebhookAddress" });
/** The addresses, and the events that there are. */
export const AddressListWire = z
  .object({
    data: z.array(AddressRecord),
    events: z.array(z.object({ type: z.string(), about: z.string() })),
  })
  .meta({ title: "WebhookAddressList" });
/** A page of the events that were sent. */
export const SentPageWire = z
  .object({ data: z.array(SentEventRecord), next: z.number().exactOptional() })
  .meta({ title: "SentWebhookEventPage" });
const Switch = z.object({ enabled: z.boolean() }).meta({ title: "SwitchWebhookAddress" });
const Secret = z.object({ secret: z.string() }).meta({ title: "WebhookSecret" });

/** The choice of events of a list. */
export interface SentQuery extends WantedPage {
  readonly address?: string;
  readonly state?: string;
  /** Words of the event's name, id or error. */
  readonly words: string;
}

/** The events for other software. All that name an address or an event throw HostError `not_found` for one that is not there. */
export interface OutgoingPort {
  list(): Promise<z.output<typeof AddressListWire>>;
  get(id: string): Promise<AddressRecord>;
  /** @throws HostError `invalid_params`, `fetch_refused`, `conflict` */
  add(draft: z.output<typeof AddressDraftBody>): Promise<z.output<typeof NewAddressWire>>;
  /** @throws HostError `invalid_params`, `fetch_refused` */
  change(id: string, patch: z.output<typeof AddressPatchBody>): Promise<AddressRecord>;
  turn(id: string, enabled: boolean): Promise<AddressRecord>;
  renewSecret(id: string): Promise<string>;
  remove(id: string): Promise<void>;
  /** Sends a test event; the answer comes later. */
  test(id: string): Promise<SentEventDetail>;
  sent(query: SentQuery): Promise<z.output<typeof SentPageWire>>;
  sentOne(id: string): Promise<SentEventDetail>;
  /** @throws HostError `conflict` while it is on its way */
  redeliver(id: string): Promise<SentEventDetail>;
}

const ALL = "/dashboard/api/webhooks/addresses";
const ONE = `${ALL}/{address_id}` as const;
const SENT = "/dashboard/api/webhooks/sent";

/** Declares the routes of events for other software. */
export const outgoingPageRoutes = (outgoing: OutgoingPort): readonly DashboardRoute[] => [
  reads(`GET ${ALL}`, () => outgoing.list(), {
    id: "listWebhookAddresses",
    summary: "The addresses that events are sent to, without their secrets, and the events that there are",
    answer: AddressListWire,
  }),
  reads(`GET ${ONE}`, (_c, _api, id) => outgoing.get(id), {
    id: "getWebhookAddress",
    summary: "An address, and since when it fails",
    answer: AddressRecord,
  }),
  ...changes(outgoing),
  ...steps(outgoing),
  ...sentRoutes(outgoing),
];

const changes = (outgoing: OutgoingPort): readonly DashboardRoute[] => [
  route(
    `POST ${ALL}`,
    async (c, api: DashboardApi) => {
      const made = await outgoing.add(await bodyOf(c, AddressDraftBody));
      const after = chosenIn(made.address);
      await noteAt(c, api, { action: "webhook-address.added", subject: made.address.id, after });
      return c.json(made);
    },
    {
      id: "addWebhookAddress",
      summary: "Send events to an address; the answer alone has its secret",
      body: AddressDraftBody,
      answer: NewAddressWire,
    },
  ),
  route(
    `PATCH ${ONE}`,
    async (c, api: DashboardApi, id) => {
      const before = chosenIn(await outgoing.get(id));
      const address = await outgoing.change(id, await bodyOf(c, AddressPatchBody));
      const noted = { before, after: chosenIn(address) };
      await noteAt(c, api, { action: "webhook-address.changed", subject: id, ...noted });
      return c.json(address);
    },
    {
      id: "changeWebhookAddress",
      summary: "Change an address",
      body: AddressPatchBody,
      answer: AddressRecord,
    },
  ),
  route(
    `DELETE ${ONE}`,
    async (c, api: DashboardApi, id) => {
      const before = chosenIn(await outgoing.get(id));
      await outgoing.remove(id);
      await noteAt(c, api, { action: "webhook-address.removed", subject: id, before });
      return c.json({ ok: true });
    },
    { id: "removeWebhookAddress", summary: "Remove an address", answer: Done },
  ),
];

const steps = (outgoing: OutgoingPort): readonly DashboardRoute[] => [
  route(
    `POST ${ONE}/switch`,
    async (c, api: DashboardApi, id) => {
      const { enabled: before } = await outgoing.get(id);
      const { enabled } = await bodyOf(c, Switch);
      const address = await outgoing.turn(id, enabled);
      const noted = { before: { enabled: before }, after: { enabled } };
      await noteAt(c, api, { action: "webhook-address.switched", subject: id, ...noted });
      return c.json(address);
    },
    {
      id: "switchWebhookAddress",
      summary: "Switch an address on, from now on, or off",
      body: Switch,
      answer: AddressRecord,
    },
  ),
  route(
    `POST ${ONE}/secret`,
    async (c, api: DashboardApi, id) => {
      const secret = await outgoing.renewSecret(id);
      await noteAt(c, api, { action: "webhook-address.secret", subject: id });
      return c.json({ secret });
    },
    { id: "renewWebhookSecret", summary: "Give an address another secret", answer: Secret },
  ),
  route(
    `POST ${ONE}/test`,
    async (c, api: DashboardApi, id) => {
      const sent = await outgoing.test(id);
      await noteAt(c, api, { action: "webhook-address.tested", subject: id });
      return c.json(sent);
    },
    { id: "testWebhookAddress", summary: "Send a test event", answer: SentEventDetail },
  ),
];

const sentRoutes = (outgoing: OutgoingPort): readonly DashboardRoute[] => [
  reads(
    `GET ${SENT}`,
    (c) => {
      const { q: words = "", address = "", state = "" } = c.req.query();
      const choice = { ...(address === "" ? {} : { address }), ...(state === "" ? {} : { state }) };
      return outgoing.sent({ ...wantedPage(c), words, ...choice });
    },
    {
      id: "listSentWebhookEvents",
      summary: "The events that were sent, newest first, by address, state and words",
      answer: SentPageWire,
      query: [...PAGE_QUERY, "q", "address", "state"],
    },
  ),
  reads(`GET ${SENT}/{event_id}`, (_c, _api, id) => outgoing.sentOne(id), {
    id: "getSentWebhookEvent",
    summary: "An event with what was sent and each try",
    answer: SentEventDetail,
  }),
  route(
    `POST ${SENT}/{event_id}/redeliver`,
    async (c, api: DashboardApi, id) => {
      const sent = await outgoing.redeliver(id);
      await noteAt(c, api, { action: "webhook-event.redelivered", subject: id });
      return c.json(sent);
    },
    {
      id: "redeliverWebhookEvent",
      summary: "Send an event again, under the same id",
      answer: SentEventDetail,
    },
  ),
];

const chosenIn = ({ url, events, include_text, description, enabled }: AddressRecord) => ({
  url,
  events,
  include_text,
  description,
  enabled,
});
