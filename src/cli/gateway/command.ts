import { command, commandGroup, JSON_FLAG, SET_OPTION } from "../command.ts";
import { LOG_OPTIONS } from "../log-options.ts";

/** `agent gateway`: whatever there is to do without a window. */
export const GATEWAY_COMMAND = commandGroup(
  "gateway",
  "serve whatever there is: API server (API_SERVER_ENABLED=true and API_SERVER_KEY), webhooks (WEBHOOK_ENABLED=true), jobs",
  [
    command("serve", "serve until it is told to stop", {
      takes: { ...LOG_OPTIONS, set: SET_OPTION },
      help: "Logs go to stderr. Exit code 2: it could not start, and says why.",
      load: async () => (await import("./gateway.ts")).gateway,
    }),
    command("status", "say which processes serve this home, and whether all that they serve is there", {
      takes: { json: JSON_FLAG },
      help: "Exit code 1: none does, or one is not there yet.",
      load: async () => (await import("./status.ts")).gatewayStatus,
    }),
    command("try", "open the home as the gateway does, connect to nothing, and serve only GET /health", {
      help: "It prints its address as JSON. An update tries a new version so, on a copy of the home.",
      load: async () => (await import("./try.ts")).tryGateway,
    }),
    command("token", "print the token of the gateway's WebSocket", {
      load: async () => (await import("./token.ts")).printToken,
    }),
  ],
);
