import { flag, notEmpty, option, type Values } from "../command.ts";

/** The inputs of `agent` without a command. */
export const CHAT_FLAGS = {
  plain: flag("a chat in plain lines: for screen readers, logs and slow links"),
  session: option("<id>", "go on with a session: its id or exact title", { short: "s", read: notEmpty }),
  model: option("<provider:model>", "the model of the new session", { short: "m", read: notEmpty }),
  attach: option("<address>", "a gateway elsewhere: ws://host:port/api/ws; its token in AGENT_GATEWAY_TOKEN"),
};

/** The values of `agent` without a command. */
export type ChatFlags = Values<typeof CHAT_FLAGS>;
