import { argument, command, commandGroup, flagOff, JSON_FLAG, option, positive } from "../command.ts";
import { ROUTE } from "./subscribe-flags.ts";

const NAME = argument("<name>");
const ID = argument("<id>");

const DELIVERIES = commandGroup("deliveries", "what was received and sent, and what became of it", [
  command("list", "the newest first", {
    takes: {
      limit: option("<count>", "at most so many of each", { short: "n", read: positive, otherwise: 20 }),
      route: option("<name>", "only what was received on one route"),
      failed: flagOff("only what failed"),
      json: JSON_FLAG,
    },
    load: async () => (await import("./deliveries.ts")).listDeliveries,
  }),
  command("show", "all that is known of one", {
    takes: { id: ID, json: JSON_FLAG },
    load: async () => (await import("./deliveries.ts")).showDelivery,
  }),
  command("redeliver", "send a text again", {
    takes: { id: ID },
    load: async () => (await import("./deliveries.ts")).redeliver,
  }),
]);

const CALLS = commandGroup("calls", "what came in, whatever became of it, with the beginning of each body", [
  command("list", "the newest first, also what was refused", {
    takes: {
      limit: option("<count>", "at most so many", { short: "n", read: positive, otherwise: 20 }),
      json: JSON_FLAG,
    },
    load: async () => (await import("./calls.ts")).listCalls,
  }),
  command("show", "one with its body, without secrets, and its answer", {
    takes: { id: ID, json: JSON_FLAG },
    load: async () => (await import("./calls.ts")).showCall,
  }),
]);

const ADDRESS_FLAGS = {
  events: option("<types>", "comma list of events; all by default, `agent webhook out events` lists them"),
  text: option("<on|off>", "also what was said: answers, questions, errors; off by default", {
    choices: ["on", "off"],
  }),
  description: option("<text>", "for people"),
};

const OUT = commandGroup("out", "events that are sent to other software, signed", [
  command("add", "send events to an address; its secret is printed once", {
    takes: { url: argument("<url>", "https, or a host of webhooks.private_hosts"), ...ADDRESS_FLAGS },
    load: async () => (await import("./outgoing.ts")).addAddress,
  }),
  command("list", "list the addresses, and whether they take what is sent", {
    aliases: ["ls"],
    takes: { json: JSON_FLAG },
    load: async () => (await import("./outgoing.ts")).listAddresses,
  }),
  command("show", "all that is known of an address, or of an event with each try", {
    takes: { id: ID, json: JSON_FLAG },
    load: async () => (await import("./outgoing.ts")).showOutgoing,
  }),
  command("change", "change what is named of an address", {
    takes: { id: ID, url: option("<url>", "where it is now"), ...ADDRESS_FLAGS },
    load: async () => (await import("./outgoing.ts")).changeAddress,
  }),
  command("on", "send to an address again, from now on", {
    takes: { id: ID },
    load: async () => (await import("./outgoing.ts")).turnAddress(true),
  }),
  command("off", "send nothing to an address", {
    takes: { id: ID },
    load: async () => (await import("./outgoing.ts")).turnAddress(false),
  }),
  command("secret", "give an address another secret, which is printed once", {
    takes: { id: ID },
    load: async () => (await import("./outgoing.ts")).renewSecret,
  }),
  command("remove", "remove an address", {
    aliases: ["rm"],
    takes: { id: ID },
    load: async () => (await import("./outgoing.ts")).removeAddress,
  }),
  command("test", "send a test event to an address", {
    takes: { id: ID },
    load: async () => (await import("./outgoing.ts")).testAddress,
  }),
  command("events", "list the events that there are", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./outgoing.ts")).listEventTypes,
  }),
  command("sent", "list the events that were sent, the newest first", {
    takes: {
      limit: option("<count>", "at most so many", { short: "n", read: positive, otherwise: 20 }),
      address: option("<id>", "only those to one address"),
      failed: flagOff("only what failed"),
      json: JSON_FLAG,
    },
    load: async () => (await import("./outgoing.ts")).listSent,
  }),
  command("redeliver", "send an event again, under the same id", {
    takes: { id: ID },
    load: async () => (await import("./outgoing.ts")).redeliverEvent,
  }),
]);

/** `agent webhook`: routes that are made by command, what came and went, and events for other software. */
export const WEBHOOK_COMMAND = commandGroup(
  "webhook",
  "events of other software reach the agent, and its own reach them",
  [
    command("subscribe", "make a route, or change one and keep its secret; live at once", {
      aliases: ["add"],
      takes: ROUTE,
      load: async () => (await import("./subscriptions.ts")).subscribe,
    }),
    command("list", "list all routes: built in, of config.yaml, and subscriptions", {
      aliases: ["ls"],
      takes: { json: JSON_FLAG },
      load: async () => (await import("./route-list.ts")).listRoutes,
    }),
    command("remove", "remove a subscription", {
      aliases: ["rm"],
      takes: { name: NAME },
      load: async () => (await import("./subscriptions.ts")).removeSubscription,
    }),
    command("test", "send a signed test event to the running gateway", {
      takes: { name: NAME, payload: option("<json>", "what to send") },
      load: async () => (await import("./subscriptions.ts")).testSubscription,
    }),
    CALLS,
    DELIVERIES,
    OUT,
  ],
);
