import { command, flag, number, option } from "../command.ts";
import { LOG_OPTIONS } from "../log-options.ts";

/** `agent front`. */
export const FRONT_COMMAND = command(
  "front",
  "the address of a deployment: passes /v1/ and /webhooks/ on to the connectors of this machine",
  {
    takes: {
      ...LOG_OPTIONS,
      host: option("<address>", "where it listens; all addresses by default"),
      port: option("<port>", "443 with TLS, 8443 without", { read: number }),
      plain: flag("http instead of https"),
    },
    load: async () => (await import("./front.ts")).front,
  },
);
