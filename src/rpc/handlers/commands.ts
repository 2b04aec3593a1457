import type { CommandOutcome } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Desk } from "../gateway/desk.ts";
import { aliasTarget } from "../gateway/user-commands.ts";
import type { COMMAND_METHODS, Dispatched } from "../protocol/commands.ts";
import { catalog } from "./catalog.ts";
import { commandContext } from "./command-context.ts";
import { completePath } from "./complete-path.ts";
import { completeSlash } from "./complete-slash.ts";
import type { Context, HandlersOf } from "./handler.ts";

/** Characters of output that go to clients: the last ones. */
const CLI_OUTPUT = 48_000;
const SHELL_OUTPUT = { stdout: 4000, stderr: 2000 };
const SHELL_MS = 30_000;
/** Seconds that a command of this program may take. */
const CLI_LONGEST = 600;

export const COMMAND_HANDLERS: HandlersOf<typeof COMMAND_METHODS> = {
  async "commands.catalog"({ session_id }, { desk }) {
    return catalog(desk, await folderOf(desk, session_id));
  },

  "command.resolve"({ name }, { desk }) {
    const command = desk.commands.resolve(name, desk.newSessionCwd());
    if (command === undefined) {
      throw new HostError("unknown_command", `There is no command /${name.replace(/^\//, "")}.`);
    }
    const { name: canonical, description, category } = command;
    return Promise.resolve({ canonical, description, category });
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

  async "complete.slash"({ text, session_id }, { desk }) {
    return completeSlash(text, desk.commands.all(await folderOf(desk, session_id)));
  },

  "complete.path": completePath,

  async "cli.exec"({ argv, timeout }, { desk, signal }) {
    const hint = interactive(argv);
    if (hint !== undefined) return { blocked: true, code: -1, output: "", hint };
    const options = {
      cwd: desk.newSessionCwd(),
      timeoutMs: 1000 * Math.min(timeout, CLI_LONGEST),
      keep: CLI_OUTPUT,
      signal,
    };
    const { code, stdout, stderr } = await desk.ports.commands.agent(argv, options);
    return { blocked: false, code, output: `${stdout}${stderr}`.slice(0, CLI_OUTPUT).toWellFormed() };
  },

  async "shell.exec"({ command, session_id }, { desk, signal }) {
    const cwd = await folderOf(desk, session_id);
    const options = { cwd, timeoutMs: SHELL_MS, keep: SHELL_OUTPUT.stdout, signal };
    const { code, stdout, stderr } = await desk.ports.commands.shell(command, options);
    return { code, stdout, stderr: stderr.slice(-SHELL_OUTPUT.stderr).toWellFormed() };
  },
};

/** Where a session works; without one, where a new one would. */
async function folderOf(desk: Desk, sessionId: string | undefined): Promise<string> {
  const session = sessionId === undefined ? undefined : await desk.session(sessionId);
  return session?.state.cwd || desk.newSessionCwd();
}

async function dispatch(
  line: string,
  { sessionId, context }: { readonly sessionId: string | undefined; readonly context: Context },
): Promise<Dispatched> {
  const { desk } = context;
  const [, name = "", argument = ""] = /^\/?(\S*)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  if (name === "") throw new HostError("command_usage", "There is no command. commands.catalog lists all.");
  const target = aliasTarget(desk.ports, name.toLowerCase());
  if (target !== undefined) return { type: "alias", target };
  const session = sessionId === undefined ? undefined : await desk.session(sessionId);
  return encodeOutcome(
    await desk.commands.dispatch(`/${name} ${argument}`, commandContext(context, session)),
  );
}

function encodeOutcome(outcome: CommandOutcome): Dispatched {
  switch (outcome.type) {
    case "done":
      return { type: "exec", output: outcome.output };
    case "send": {
      const { message, notice, skill } = outcome;
      const said = { message, ...(notice === undefined ? {} : { notice }) };
      return skill === undefined ? { type: "send", ...said } : { type: "skill", name: skill, ...said };
    }
    case "prefill": {
      const { type, message, notice } = outcome;
      return { type, message, ...(notice === undefined ? {} : { notice }) };
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
