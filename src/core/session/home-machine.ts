import { HostError } from "../../shared/errors/host-error.ts";
import type { DurableEvent, SettingsPatch } from "../events/events.ts";
import type { HomeMachine } from "../events/home-machine.ts";
import type { Decision } from "../log/append-plan.ts";
import type { LogWriter } from "../log/log-writer.ts";
import type { Machines } from "../ports/machines.ts";
import type { SessionState } from "../state/state.ts";

type Home = Pick<SessionState, "home">;

/** The other machine on whose disk a session's files are; `undefined` when its turns may run here. */
export function otherHome({ home }: Home, machines: Machines | undefined): HomeMachine | undefined {
  if (machines === undefined || home === undefined || home.anywhere === true) return undefined;
  return home.id === machines.here.id ? undefined : home;
}

/** The machine to which a session belongs that works in a folder. */
export function homeOf(cwd: string, machines: Machines | undefined): HomeMachine | undefined {
  if (machines?.keepsFiles(cwd) !== true) return undefined;
  return machines.isChosen(cwd) ? machines.here : { ...machines.here, anywhere: true };
}

/** Settings whose folder, if they name one, says to which machine the session belongs. */
export function withHome(patch: SettingsPatch, machines: Machines | undefined): SettingsPatch {
  if (machines === undefined || patch.cwd === undefined) return patch;
  return { ...patch, home: homeOf(patch.cwd, machines) ?? null };
}

/**
 * Whether turns of a session have to run on another machine, which lives. From one that is gone the session is adopted,
 * where that is allowed.
 *
 * @throws HostError `session_unreachable` when its machine is gone
 */
export async function belongsElsewhere(
  writer: Pick<LogWriter, "log" | "transact">,
  machines: Machines | undefined,
): Promise<boolean> {
  const { log } = writer;
  const home = otherHome(log.state, machines);
  if (home === undefined || machines === undefined) return false;
  if (await machines.isThere(home.id)) return true;
  if (!machines.adopts()) throw machineGone(log.id, home);
  await writer.transact(({ state }) => adoption(state, machines));
  return false;
}

function adoption(state: SessionState, machines: Machines): Decision<undefined> {
  const home = otherHome(state, machines);
  return { events: home === undefined ? [] : adoptionRows(home, machines.here), value: undefined };
}

function adoptionRows(home: HomeMachine, here: HomeMachine): readonly DurableEvent[] {
  const text = `The files of this session's folder are on ${home.name}, which cannot be reached: ${here.name} goes on without them.`;
  return [
    { type: "settings.set", patch: { home: { ...here, without: home.name } } },
    { type: "notice", level: "warn", kind: "workspace.gone", text },
  ];
}

const machineGone = (session: string, { name }: HomeMachine): HostError =>
  new HostError(
    "session_unreachable",
    `The files of session ${session} are on ${name}, and no agent runs there. Start it there, or let others go on without the files: cluster.adopt_workspaces in config.yaml.`,
  );
