import {
  argument,
  flagOff,
  MODE_OPTION,
  notEmpty,
  option,
  positive,
  SET_OPTION,
  several,
  type Values,
} from "../command.ts";

/** The inputs of `agent run`. */
export const RUN_FLAGS = {
  prompt: argument(
    "[prompt...]",
    "the prompt, in one word or several, or a command such as /help; read from stdin when it is absent or `-`, then always a prompt; `-` after it adds what stdin says",
  ),
  trust: flagOff(
    "read AGENTS.md and skills of this folder, this time, also when nobody has said that it is trusted",
  ),
  output: option("<form>", "text, json: one object at the end, stream-json: every event as a line", {
    choices: ["text", "json", "stream-json"],
  }),
  json: flagOff("the same as --output stream-json"),
  schema: option("<file>", "a JSON Schema: the answer is JSON that matches it", { read: notEmpty }),
  outputLastMessage: option("<file>", "write the last answer into this file, too", {
    short: "o",
    read: notEmpty,
  }),
  title: option("<text>", "what the new session is called", { read: notEmpty }),
  image: option("<path>", "an image that goes along with the prompt; may be given several times", {
    short: "i",
    read: (text, before: readonly string[] | undefined) => several(notEmpty(text), before),
  }),
  cwd: option("<folder>", "work in this folder", { read: notEmpty }),
  allow: option("<rule>", "what may run without asking, in this run; may be given several times", {
    read: several,
  }),
  deny: option("<rule>", "what must not run, in this run; may be given several times", { read: several }),
  maxTurns: option("<count>", "model calls at most", { read: positive }),
  continue: flagOff("go on with the newest run of this folder; without one, with its newest session", "c"),
  resume: option("<id|title>", "go on with a session: an id, its beginning or end, or a title", {
    short: "r",
    read: notEmpty,
  }),
  session: option("<id|title>", "the same as --resume", { short: "s", read: notEmpty }),
  demo: flagOff("let the built-in demo model answer, without a word about it"),
  model: option("<provider:model>", "use this model", { short: "m", read: notEmpty }),
  mode: MODE_OPTION,
  set: SET_OPTION,
};

/** The values of `agent run`. */
export type RunFlags = Values<typeof RUN_FLAGS>;
