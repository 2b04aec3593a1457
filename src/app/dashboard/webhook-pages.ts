import {
  encodeAddress,
  encodeSentDetail,
  encodeSentEvent,
  OUTGOING_EVENTS,
  type OutgoingEvents,
  sourceOf,
} from "../../automation/outgoing/index.ts";
import type { IncomingPort, IncomingRoute, OutgoingPort } from "../../dashboard/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { BackgroundServices } from "../background/background-services.ts";
import { incomingCall, incomingCalls } from "../background/incoming-calls.ts";
import { testWebhook } from "../background/test-webhook.ts";
import { checkedWebhookSettings } from "../background/webhook-check.ts";
import { type ListedRoute, routeUrl, webhookRoutes } from "../background/webhook-routes.ts";
import type { Agent } from "../compose.ts";
import { isWebhookEnabled, webhookAddress } from "../config/webhook.ts";

/** The events for other software, for the dashboard. */
export function outgoingPages(events: OutgoingEvents): OutgoingPort {
  const { addresses, health, outbox, publisher } = events;
  const record = async (id: string) => encodeAddress(addresses.get(id), await health.failure(id));
  const sentOne: OutgoingPort["sentOne"] = async (id) => {
    const sent = await outbox.get(id);
    if (sent !== undefined) return encodeSentDetail(sent);
    throw new HostError(
      "not_found",
      `There is no event ${JSON.stringify(id.slice(0, 100))}, or not any more.`,
    );
  };
  return {
    async list() {
      const data = await Promise.all(addresses.list().map(({ id }) => record(id)));
      return { data, events: Object.entries(OUTGOING_EVENTS).map(([type, about]) => ({ type, about })) };
    },
    get: record,
    async add({ include_text: includeText, ...draft }) {
      const address = await addresses.add({ ...draft, includeText });
      return { address: encodeAddress(address), secret: address.secret };
    },
    async change(id, { include_text: includeText, ...patch }) {
      await addresses.change(id, { ...patch, ...defined({ includeText }) });
      return await record(id);
    },
    async turn(id, enabled) {
      await events.turn(id, enabled);
      return await record(id);
    },
    renewSecret: async (id) => (await addresses.renewSecret(id)).secret,
    remove: async (id) => void (await events.remove(id)),
    async test(id) {
      const { id: sent } = await publisher.test(addresses.get(id));
      await outbox.pollOnce();
      return await sentOne(sent);
    },
    async sent({ address, state, words, ...page }) {
      const wanted = words.trim().toLowerCase();
      const { values, next } = await outbox.page({
        ...page,
        ...defined({ source: address === undefined ? undefined : sourceOf(address) }),
        isWanted: ({ id, status, subject = "", error = "" }) =>
          (state === undefined || status === state) &&
          `${subject} ${id} ${error}`.toLowerCase().includes(wanted),
      });
      return { data: values.map(encodeSentEvent), ...defined({ next }) };
    },
    sentOne,
    async redeliver(id) {
      await outbox.redeliver(id);
      await outbox.pollOnce();
      return await sentOne(id);
    },
  };
}

/** The calls of other software, for the dashboard. */
export function incomingPages({ live, texts }: Agent, services: BackgroundServices): IncomingPort {
  return {
    routes() {
      const { routes, fault } = webhookRoutes(live.current, texts);
      const address = webhookAddress(live.current);
      const off = isWebhookEnabled(live.current)
        ? fault
        : "The webhook connector is off: switch it on under Connectors.";
      const data = routes.map((each) => routeRecord(each, routeUrl(address, each.name)));
      return Promise.resolve({ data, ...defined({ off }) });
    },
    calls: (query) => incomingCalls(services, query),
    call: (id) => incomingCall(services, id),
    async test(name, payload) {
      const found = webhookRoutes(live.current, texts).routes.find((route) => route.name === name);
      if (found === undefined)
        throw new HostError("not_found", `There is no webhook route ${JSON.stringify(name.slice(0, 100))}.`);
      const secret = found.fields["secret"];
      return await testWebhook(checkedWebhookSettings(live.current), { name, secret, payload });
    },
  };
}

function routeRecord({ name, source, off, fields }: ListedRoute, url: string): IncomingRoute {
  const { events, deliver, description } = fields;
  return {
    name,
    source,
    url,
    events: Array.isArray(events) ? events.map(String) : [],
    deliver: typeof deliver === "string" ? deliver : "log",
    ...defined({ off, description: typeof description === "string" ? description : undefined }),
  };
}
