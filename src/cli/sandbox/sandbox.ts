import { resolve } from "node:path";
import { HostError } from "../../shared/errors/host-error.ts";
import { openAgent } from "../../app/compose.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";
import { onSignals } from "../../app/process/signals.ts";
import { sandboxNotes } from "../../providers/tools/index.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";

/** The options of `agent sandbox`. */
interface SandboxFlags {
  readonly words: readonly string[];
  readonly hosts?: string | undefined;
  readonly cwd?: string | undefined;
}

/** Words become a program with its arguments; a single one is a line for the shell. */
const PROGRAM = 'exec "$@"';

/** `agent sandbox -- <command>`: runs it where the agent's commands run. Gives its exit code. */
export async function sandbox(io: Io, { words, hosts = "", cwd = "." }: SandboxFlags): Promise<number> {
  const root = resolve(io.cwd, cwd);
  await using agent = await openAgent(io, { resident: false });
  const session = { id: "agent sandbox", platform: "cli", roots: [root] } as const;
  for (const host of hosts.split(",").filter((each) => each.trim() !== ""))
    agent.sandboxes.allow(session.id, host);
  const opened = await agent.sandboxes.openFor(session);
  if (!opened.available)
    throw new HostError("tool_failed", `There is no sandbox here: ${opened.reason} ${opened.advice}`);
  const stop = new AbortController();
  using listening = new DisposableStack();
  listening.use(onSignals(io, ["SIGINT", "SIGTERM"], () => stop.abort()));
  const [line = ""] = words;
  const piped = io.stdin.isTTY !== true;
  const child = await agent.spawner.spawn({
    file: "/bin/sh",
    args: words.length === 1 ? ["-c", line] : ["-c", PROGRAM, "sh", ...words],
    cwd: root,
    label: words.join(" ").slice(0, 80),
    session: session.id,
    signal: stop.signal,
    sandbox: opened.sandbox,
    writable: piped,
    output: (chunk) => write(io.stdout, Buffer.from(chunk).toString()),
    errors: (chunk) => write(io.stderr, Buffer.from(chunk).toString()),
  });
  if (child.input !== undefined) io.stdin.pipe(child.input);
  const exit = await child.exited;
  io.stdin.unpipe();
  io.stdin.pause();
  for (const note of exit.sandbox === undefined ? [] : sandboxNotes(exit.sandbox, undefined, FOR_PEOPLE))
    await write(io.stderr, `agent: ${forTerminalLine(note)}.\n`);
  return stop.signal.aborted ? EXIT.interrupted : (exit.code ?? EXIT.failed);
}

const FOR_PEOPLE = {
  host: "--hosts names more, sandbox.hosts for all commands",
  outside: "An address has to be listed by its number",
};
