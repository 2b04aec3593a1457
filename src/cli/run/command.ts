import { argument, command, flagOff, notEmpty, option } from "../command.ts";

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
    json: flagOff("print every event as a line of JSON"),
    continue: flagOff("go on where a person was last in this folder", "c"),
    resume: option("<id|title>", "go on with a session: an id, its beginning or end, or a title", {
      short: "r",
      read: notEmpty,
    }),
    session: option("<id|title>", "the same as --resume", { short: "s", read: notEmpty }),
    model: option("<provider:model>", "use this model", { short: "m", read: notEmpty }),
  },
  help: "Exit codes: 0 completed, 1 failed, 2 wrong usage, 130 interrupted.",
  load: async () => (await import("./run.ts")).run,
});
