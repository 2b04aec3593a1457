import type { ChatPlatform } from "../port/platform.ts";
import { SIGNAL_CAPABILITIES, SIGNAL_LIMITS } from "./limits.ts";

/** Signal, through the REST service around signal-cli: https://github.com/bbernhard/signal-cli-rest-api */
export const SIGNAL: ChatPlatform = {
  kind: "messenger_4",
  name: "signal",
  title: "Signal",
  secrets: [],
  from: "the number of the agent's account, with + and its country, as it is registered with the service",
  mode: "connection",
  capabilities: SIGNAL_CAPABILITIES,
  limits: SIGNAL_LIMITS,
  open: async (account, ports) => (await import("./channel.ts")).signalChannel(account, ports),
};
