import type { UpdatePort, UpdateState } from "../../dashboard/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { baseHome } from "../config/home.ts";
import type { Io } from "../process/io.ts";
import { leaveBehind, ownProgram } from "../process/own-program.ts";
import { checkoutCommands, type Installation, installationOf } from "../update/installation.ts";
import type { UpdateCheck } from "../update/update-check.ts";
import { type JournalEntry, UpdateJournal } from "../update/update-journal.ts";
import { isNewer } from "../update/version-order.ts";

/** The updates of this program, for the dashboard. */
export function updatePages(io: Io, check: UpdateCheck): UpdatePort {
  const program = ownProgram(io.machine);
  const installed = (): Installation => installationOf(program);
  const journal = new UpdateJournal(baseHome(io.env, io.cwd));
  const isRunning = (entry: JournalEntry): boolean => entry.outcome === undefined && isThere(io, entry.pid);
  const state = async (): Promise<UpdateState> => {
    const installation = installed();
    const { version, isCheckout } = installation;
    if (isCheckout) return { version, available: false, commands: [...checkoutCommands(installation)] };
    const known = await check.known();
    const last = journal.read();
    return {
      version,
      available: known?.newest !== undefined && isNewer(known.newest, version),
      ...(known === undefined ? {} : { asked_at: Math.floor(known.askedAt / 1000) }),
      ...(known?.newest === undefined ? {} : { newest: known.newest }),
      ...(known?.fault === undefined ? {} : { fault: known.fault }),
      ...(last === undefined ? {} : { last: progressOf(last, isRunning(last)) }),
    };
  };
  return {
    state,
    async ask() {
      if (!installed().isCheckout) await check.ask();
      return await state();
    },
    async begin() {
      const { available, last, version } = await state();
      if (last?.running === true) throw new HostError("conflict", `The update to ${last.to} runs already.`);
      if (!available) throw new HostError("conflict", `Version ${version} is the newest one that is known.`);
      leaveBehind([program, "update"], io);
    },
  };
}

const progressOf = (
  { from, to, step, startedAt, outcome, message }: JournalEntry,
  running: boolean,
): NonNullable<UpdateState["last"]> => ({
  from,
  to,
  step,
  at: Math.floor(startedAt / 1000),
  running,
  ...(outcome === undefined ? {} : { outcome }),
  ...(message === undefined ? {} : { message }),
});

function isThere({ machine }: Io, pid: number): boolean {
  try {
    machine.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
