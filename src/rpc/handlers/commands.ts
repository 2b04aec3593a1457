import type { SlashCommandResult } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { aliasTarget } from "../gateway/user-commands.ts";
import type { COMMAND_METHODS, Dispatched } from "../protocol/commands.ts";
import { catalog, completeSlash } from "./commands/catalog.ts";
import { completePath } from "./commands/complete-path.ts";
import { runShell, stopShell } from "./commands/shell.ts";
import { folderOf } from "./commands/folder.ts";
import { commandContext, type HandlerContext, type HandlersOf } from "./handler.ts";

/** Characters of output that go to clients: the last ones. */
const CLI_OUTPUT = 48_000;
/** Seconds that a command of this program may take. */
const CLI_LONGEST = 600;

export const COMMAND_HANDLERS: HandlersOf<typeof COMMAND_METHODS> = {
  async "commands.catalog"({ session_id }, { gateway }) {
    return catalog(gateway, await folderOf(gateway, session_id));
  },

  "command.resolve"({ name }, { gateway }) {
    const command = gateway.commands.resolve(name, gateway.newSessionCwd());
    if (command === undefined) {
      throw new HostError("unknown_command", `There is no command /${name.replace(/^\//, "")}.`);
    }
    const { name: canonical, description, category } = command;
    return { canonical, description, category };
  },

  async "command.dispatch"({ name, arg, command, session_id }, context) {
    const line = command ?? `${name ?? ""} ${arg}`;
    return await dispatch(line, { sessionId: session_id, context });
  },

  async "slash.exec"({ command, session_id }, context) {
    const done = await dispatch(command, { sessionId: session_id, context });
    if (done.type !== "exec" || done.session_id !== undefined || done.exit !== undefined) return done;
    // Without a type, clients show a long output page by page.
    return { output: done.output };
  },

  async "complete.slash"({ text, session_id }, { gateway }) {
    return completeSlash(text, gateway.commands.all(await folderOf(gateway, session_id)));
  },

  "complete.path": completePath,

  async "cli.exec"({ argv, timeout }, { gateway, signal }) {
    const hint = interactive(argv);
    if (hint !== undefined) return { blocked: true, code: -1, output: "", hint };
    const options = {
      cwd: gateway.newSessionCwd(),
      timeoutMs: 1000 * Math.min(timeout, CLI_LONGEST),
      keep: CLI_OUTPUT,
      signal,
    };
    const { code, stdout, stderr } = await gateway.ports.commands.agent(argv, options);
    return { blocked: false, code, output: `${stdout}${stderr}`.slice(0, CLI_OUTPUT).toWellFormed() };
  },

  "shell.exec": runShell,

  "shell.stop"({ stream_id }, { connection }) {
    return { stopped: stopShell(connection, stream_id) };
  },
};

async function dispatch(
  line: string,
  { sessionId, context }: { readonly sessionId: string | undefined; readonly context: HandlerContext },
): Promise<Dispatched> {
  const { gateway } = context;
  const [, name = "", argument = ""] = /^\/?(\S*)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  if (name === "") throw new HostError("command_usage", "There is no command. commands.catalog lists all.");
  const target = aliasTarget(gateway.ports, name.toLowerCase());
  if (target !== undefined) return { type: "alias", target };
  const run = async (): Promise<SlashCommandResult> => {
    const session = sessionId === undefined ? undefined : await gateway.session(sessionId);
    return await gateway.commands.dispatch(`/${name} ${argument}`, commandContext(context, session));
  };
  // Such commands are the same in every folder: nothing is waited for before their place is taken.
  const { inOrder } = gateway.commands.resolve(name, gateway.newSessionCwd()) ?? {};
  const isQueued = sessionId !== undefined && inOrder === true;
  return encodeOutcome(await (isQueued ? gateway.sessionQueue.run(sessionId, run) : run()));
}

function encodeOutcome(outcome: SlashCommandResult): Dispatched {
  switch (outcome.type) {
    case "done":
      return { type: "exec", output: outcome.output, ...defined({ told: outcome.told }) };
    case "send": {
      const { message, notice, skill } = outcome;
      const said = { message, ...defined({ notice }) };
      return skill === undefined ? { type: "send", ...said } : { type: "skill", name: skill, ...said };
    }
    case "prefill": {
      const { type, message, notice, told } = outcome;
      return { type, message, ...defined({ notice, told }) };
    }
    case "switch":
      return { type: "exec", output: outcome.output, session_id: outcome.sessionId };
    case "quit":
      return { type: "exec", output: "", exit: true };
  }
}

/** Commands that run until somebody ends them, or that ask a person: why they are refused. */
const INTERACTIVE: ReadonlyMap<string, string> = new Map([
  ["acp", "It serves a protocol on its standard input: start it from the IDE."],
  ["rpc", "It serves this protocol: you are connected to one already."],
  ["gateway", "It is a server: start it in a terminal or as a service."],
  ["front", "It is a server: start it in a terminal or as a service."],
  ["setup", "It asks questions: run it in a terminal."],
]);

function interactive(argv: readonly string[]): string | undefined {
  const [command] = argv.filter((word) => !word.startsWith("-"));
  const shows = argv.some((word) => ["-h", "--help", "-v", "--version"].includes(word));
  if (shows) return undefined;
  if (command === undefined) return "Without a command it is a chat: run it in a terminal.";
  return INTERACTIVE.get(command);
}
