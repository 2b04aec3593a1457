import { command } from "../command.ts";
import { LOG_OPTIONS } from "../log-options.ts";

/** `agent gateway`. */
export const GATEWAY_COMMAND = command(
  "gateway",
  "serve: API server, webhooks and jobs, until it is told to stop",
  {
    takes: LOG_OPTIONS,
    help: "API_SERVER_ENABLED=true and API_SERVER_KEY switch the API server on, WEBHOOK_ENABLED=true the webhooks;\njobs run with either. Logs go to stderr. Exit code 2: it could not start, and says why.",
    load: async () => (await import("./gateway.ts")).gateway,
  },
);
