import { argument, command, commandGroup, flagOff, JSON_FLAG, number, option } from "../command.ts";
import { ROUTE } from "./subscribe-flags.ts";

const NAME = argument("<name>");
const ID = argument("<id>");

const DELIVERIES = commandGroup("deliveries", "what was received and sent, and what became of it", [
  command("list", "the newest first", {
    takes: {
      limit: option("<count>", "at most so many of each", { short: "n", read: number, otherwise: 20 }),
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

/** `agent webhook`: routes that are made by command, and what came and went. */
export const WEBHOOK_COMMAND = commandGroup("webhook", "let other software's events reach the agent", [
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
  DELIVERIES,
]);
