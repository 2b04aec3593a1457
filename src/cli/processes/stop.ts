import { type Agent, openAgent } from "../../app/compose.ts";
import { stopSession } from "../../app/detached/stop-turns.ts";
import { processNamed, type WorkingProcess, workingProcesses } from "../../app/detached/working-processes.ts";
import { type Io, write } from "../../app/process/io.ts";
import { sleep, systemClock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";

/** Milliseconds after which a process that should end is told so in a stronger way. */
const GRACE_MS = 5000;
const LOOK_MS = 50;

interface StopOptions {
  readonly ids: readonly string[];
  readonly all: boolean;
}

/** `agent stop`: stops turns, and ends their processes when those have no window. */
export async function stopWork(io: Io, { ids, all }: StopOptions): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const processes = await workingProcesses(agent.host, agent.store);
  const named = ids.map((words) => {
    const found = processNamed(processes, words);
    if (found !== undefined) return found;
    throw new HostError("not_found", `Nothing that runs is called ${words}. \`agent ps\` shows what runs.`);
  });
  if (ids.length === 0 && !all) {
    const only = onlyOneHere(processes, io.cwd);
    if (only !== undefined) return await stopOne(io, agent, only);
    return await write(io.stdout, "No turn runs.\n");
  }
  const alone = all ? processes.filter(({ detached }) => detached !== undefined) : [];
  const chosen = [...new Set([...named, ...alone])];
  if (chosen.length === 0) return await write(io.stdout, "No turn goes on without a window.\n");
  for (const each of chosen) await stopOne(io, agent, each);
}

/**
 * The one process that works in a folder; `undefined` when none works anywhere.
 *
 * @throws HostError `command_usage` when there are several, or only elsewhere, with their names
 */
function onlyOneHere(processes: readonly WorkingProcess[], cwd: string): WorkingProcess | undefined {
  const here = processes.filter(({ sessions }) => sessions.some((session) => session.cwd === cwd));
  if (processes.length === 0 || here.length === 1) return here[0];
  const shown = (here.length === 0 ? processes : here).map(({ id, sessions }) => {
    const titles = sessions.map(({ title, cwd: folder }) => `"${forTerminalLine(title)}" in ${folder}`);
    return `${id} (${titles.join(", ") || "ending"})`;
  });
  const where = here.length === 0 ? "Nothing runs in this folder; elsewhere" : "Several run in this folder";
  throw new HostError(
    "command_usage",
    `${where}: ${shown.join("; ")}. Name one, or give --all for those without a window.`,
  );
}

async function stopOne(io: Io, agent: Agent, working: WorkingProcess): Promise<void> {
  const { id, pid, sessions, detached } = working;
  for (const session of sessions)
    await stopSession(await agent.host.session(session.id), { surface: "cli", client: String(io.pid) });
  const what = sessions.map(({ title }) => `"${forTerminalLine(title)}"`).join(", ");
  if (detached === undefined)
    return await write(io.stdout, `Stopped ${what}. Process ${pid} has a window or serves, and stays.\n`);
  await untilEnded(io, agent, working);
  await write(io.stdout, `Stopped ${id}${what === "" ? "" : `: ${what}`}.\n`);
}

/** Waits until a process has ended; one that does not is told to, and at last killed. */
async function untilEnded(
  io: Io,
  { store }: Agent,
  { pid, hostId, isRemote }: WorkingProcess,
): Promise<void> {
  const { signal } = new AbortController();
  const isThere = async (): Promise<boolean> =>
    (!isRemote && isRunning(io, pid)) ||
    (await store.processes()).some((each) => each.hostId === hostId && each.alive);
  // A process id of elsewhere means another process here.
  for (const how of isRemote ? ["wait"] : ["wait", "SIGTERM", "SIGKILL"]) {
    if (how !== "wait" && isRunning(io, pid)) io.machine.kill(pid, how);
    for (let waited = 0; waited < GRACE_MS; waited += LOOK_MS) {
      if (!(await isThere())) return;
      await sleep(systemClock, LOOK_MS, signal);
    }
  }
  throw new HostError("timeout", `Process ${pid} does not end. Its turns are stopped.`);
}

function isRunning(io: Io, pid: number): boolean {
  try {
    io.machine.kill(pid, 0);
    return true;
  } catch {
    // It is gone, or belongs to somebody else.
    return false;
  }
}
