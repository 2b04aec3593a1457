import type { EventNamed } from "../events/events.ts";
import type { Machines } from "../ports/machines.ts";
import type { SessionState } from "../state/state.ts";

/** The rows with which a session that began in a folder of another machine, which nobody chose, goes on in one of this machine. */
export function moveToOwnFolder(
  { home, cwd, roots }: Pick<SessionState, "home" | "cwd" | "roots">,
  machines: Machines | undefined,
): readonly EventNamed<"settings.set">[] {
  if (machines === undefined || home?.anywhere !== true || home.id === machines.here.id) return [];
  const { here, folder } = machines;
  if (cwd === folder) return [];
  const moved = roots.map((root) => (root === cwd ? folder : root));
  const patch = { home: { ...here, anywhere: true }, cwd: folder, roots: moved } as const;
  return [{ type: "settings.set", patch }];
}
