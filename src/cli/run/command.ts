import { MODE_OPTION } from "../mode-option.ts";
import { argument, command, flagOff, notEmpty, option, positive, several } from "../command.ts";

/** `agent run`. */
export const RUN_COMMAND = command("run", "one turn: the answer goes to stdout", {
  takes: {
    prompt: argument(
      "[prompt]",
      "the prompt, or a command such as /help; read from stdin when it is absent or `-`, then always a prompt",
    ),
    input: argument("[input...]", "`-` after the prompt: what stdin says is added to it"),
    trust: flagOff(
      "read AGENTS.md and skills of this folder, this time, also when nobody has said that it is trusted",
    ),
    output: option("<form>", "text, json: one object at the end, stream-json: every event as a line", {
      choices: ["text", "json", "stream-json"],
    }),
    json: flagOff("the same as --output stream-json"),
    schema: option("<file>", "a JSON Schema: the answer is JSON that matches it", { read: notEmpty }),
    cwd: option("<folder>", "work in this folder", { read: notEmpty }),
    allow: option("<rule>", "what may run without asking, in this run; may be given several times", {
      read: several,
    }),
    deny: option("<rule>", "what must not run, in this run; may be given several times", { read: several }),
    maxTurns: option("<count>", "model calls at most", { read: positive }),
    continue: flagOff("go on where a person was last in this folder", "c"),
    resume: option("<id|title>", "go on with a session: an id, its beginning or end, or a title", {
      short: "r",
      read: notEmpty,
    }),
    session: option("<id|title>", "the same as --resume", { short: "s", read: notEmpty }),
    demo: flagOff("let the built-in demo model answer, without a word about it"),
    model: option("<provider:model>", "use this model", { short: "m", read: notEmpty }),
    mode: MODE_OPTION,
  },
  help: "What is piped in is added to the prompt; in a loop that reads stdin, write `< /dev/null`.\nExit codes: 0 completed, 1 failed, 2 wrong usage, 3 completed but something was denied, 130 interrupted.",
  load: async () => (await import("./run.ts")).run,
});
