import {
  argument,
  flag,
  MODE_OPTION,
  notEmpty,
  option,
  optionalValue,
  SET_OPTION,
  type Values,
} from "../command.ts";

/** The inputs of `agent` without a command. */
export const CHAT_FLAGS = {
  prompt: argument("[prompt]", 'a first prompt of several words, such as "fix the failing test"'),
  plain: flag("a chat in plain lines: for screen readers, logs and slow links"),
  continue: flag("go on with the newest chat of this folder; without one, with its newest session", "c"),
  resume: optionalValue(
    "[id|title]",
    "go on with a session: an id, its beginning or end, or a title; without one, pick from a list",
    "r",
  ),
  session: option("<id|title>", "the same as --resume with a value", { short: "s", read: notEmpty }),
  model: option("<provider:model>", "the model of the new session", { short: "m", read: notEmpty }),
  demo: flag("let the built-in demo model answer in the new session"),
  mode: MODE_OPTION,
  set: SET_OPTION,
  attach: option("<address>", "a gateway elsewhere: ws://host:port/api/ws; its token in AGENT_GATEWAY_TOKEN"),
};

/** The values of `agent` without a command. */
export type ChatFlags = Values<typeof CHAT_FLAGS>;
