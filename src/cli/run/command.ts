import { command } from "../command.ts";
import { RUN_FLAGS } from "./run-flags.ts";

/** `agent run`. */
export const RUN_COMMAND = command("run", "one turn: the answer goes to stdout", {
  takes: RUN_FLAGS,
  help: "What is piped in is added to the prompt, as text: an image needs --image. In a loop that reads stdin, write `< /dev/null`.\nExit codes: 0 completed, 1 failed, 2 wrong usage, 3 completed but something was denied, 130 interrupted, 141 the reader of the output left.",
  load: async () => (await import("./run.ts")).run,
});
