import { openAgent } from "../../app/compose.ts";
import { processNamed, type WorkingProcess, workingProcesses } from "../../app/detached/working-processes.ts";
import type { Io } from "../../app/process/io.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { runChat } from "../tui/command.ts";

interface AttachOptions {
  readonly id?: string;
  readonly plain?: boolean;
  readonly model?: string;
}

/** `agent attach`: the chat on a session that another process works on. Gives the exit code. */
export async function attachToProcess(io: Io, { id, ...flags }: AttachOptions): Promise<number | undefined> {
  if (id !== undefined && /^(ws|http)s?:\/\//.test(id))
    throw new HostError(
      "command_usage",
      `${id} is an address: \`agent --attach ${id.replace(/^http/, "ws").replace(/(:\d+)\/?$/, "$1/api/ws")}\` opens a chat on a gateway elsewhere.`,
    );
  const session = await sessionOf(io, id);
  return await runChat(io, { ...flags, session });
}

/** The session to show: of several of one process, the one that waits for an answer. */
async function sessionOf(io: Io, words: string | undefined): Promise<string> {
  await using agent = await openAgent(io, { resident: false });
  const processes = await workingProcesses(agent.host, agent.store);
  const found = words === undefined ? theOnly(processes) : processNamed(processes, words);
  const waiting = found?.sessions.find(({ status }) => status.status === "waiting");
  const session = waiting ?? found?.sessions[0];
  if (session !== undefined) return session.id;
  // It may be done by now: what it did is in its session.
  if (words !== undefined) return (await agent.host.find(words)).id;
  const [open] = processes;
  const next =
    open === undefined
      ? "`agent -c` goes on with this folder's session."
      : `One runs in a window or a server: \`agent attach ${open.id}\` watches it, \`agent ps\` shows all.`;
  throw new HostError("not_found", `No turn goes on without a window. ${next}`);
}

/** @throws HostError `command_usage` when there are several */
function theOnly(processes: readonly WorkingProcess[]): WorkingProcess | undefined {
  const alone = processes.filter(({ detached }) => detached !== undefined);
  if (alone.length > 1)
    throw new HostError(
      "command_usage",
      `Name one: ${alone.map(({ id, sessions }) => `${id} (${sessions[0]?.title ?? ""})`).join(", ")}.`,
    );
  return alone[0];
}
