import { argument, command, commandGroup, JSON_FLAG, option } from "../command.ts";
import { LOG_OPTIONS } from "../log-options.ts";

const NAME = argument("<name>");

const INCIDENT = commandGroup("incident", "what the public is told", [
  command("list", "the newest first", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./fleet.ts")).listIncidents,
  }),
  command("open", "make an incident public", {
    takes: {
      title: argument("<title>"),
      text: option("<text>", "more about it"),
      gap: option("<id>", "it began with this gap of `agent fleet gaps`"),
    },
    load: async () => (await import("./fleet.ts")).openIncident,
  }),
  command("resolve", "say that it is over", {
    takes: { id: argument("<id>") },
    load: async () => (await import("./fleet.ts")).resolveIncident,
  }),
]);

/** `agent fleet`: the public status of many instances. */
export const FLEET_COMMAND = commandGroup("fleet", "the public status of a fleet of gateways", [
  command("status", "which instances were heard of in the last five minutes", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./fleet.ts")).showFleet,
  }),
  command("add", "register an instance and print its token", {
    takes: { name: NAME },
    load: async () => (await import("./fleet.ts")).addInstance,
  }),
  command("remove", "expect an instance no longer", {
    aliases: ["rm"],
    takes: { name: NAME },
    load: async () => (await import("./fleet.ts")).removeInstance,
  }),
  command("gaps", "when instances were not heard of; nobody else sees this", {
    takes: { json: JSON_FLAG },
    load: async () => (await import("./fleet.ts")).listGaps,
  }),
  command("serve", "serve the status and take heartbeats", {
    takes: { ...LOG_OPTIONS, listen: option("<host:port>", "where", { otherwise: "127.0.0.1:8650" }) },
    load: async () => (await import("./serve.ts")).serveFleet,
  }),
  INCIDENT,
]);
