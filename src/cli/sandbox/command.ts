import { argument, command, option } from "../command.ts";

/** `agent sandbox`: one command as the agent would run it. */
export const SANDBOX_COMMAND = command("sandbox", "run one command in the sandbox, as the agent would", {
  takes: {
    words: argument("<command...>", "the program and its words, or one line for the shell; behind --"),
    hosts: option("<hosts>", "hosts that it may reach besides sandbox.hosts, with commas between them"),
    cwd: option("<folder>", "the workspace; the current folder by default"),
  },
  load: async () => (await import("./sandbox.ts")).sandbox,
});
