import { access } from "node:fs/promises";
import { PROXY_SOCKET } from "../sandbox/linux/first-program.ts";
import { HOME_INSIDE } from "../sandbox/linux/system-folders.ts";
import type { Root } from "../sandbox/linux/arguments.ts";
import type { WorkspaceWalls } from "../sandbox/look/workspace-look.ts";
import type { SandboxPolicy } from "../sandbox/policy.ts";
import type { SessionFolder } from "../sandbox/session-folder.ts";
import { isUnder } from "../workspace/roots.ts";
import type { ContainerEngine } from "./engine.ts";
import { makePlaces, type Mount } from "./mounts.ts";
import { containerName } from "./running-container.ts";
import type { ContainerPlan } from "./run-arguments.ts";
import { OWN_INSIDE } from "./scripts.ts";

/** The parts that all containers of a session have in common. */
export interface FixedParts {
  readonly roots: readonly Root[];
  /** Folders above the workspace that can be read. */
  readonly above: readonly string[];
  /** The host's folder with the scripts that run inside, and a file for each call that is to end. */
  readonly own: string;
  readonly init: boolean;
}

/** The description of a container for a workspace as it is now. */
export async function containerPlan(
  parts: FixedParts & {
    readonly engine: ContainerEngine;
    readonly policy: SandboxPolicy;
    readonly folder: SessionFolder;
  },
  walls: WorkspaceWalls,
): Promise<ContainerPlan> {
  const { folder, init } = parts;
  const mounts = [...sessionMounts(parts), ...workspaceMounts(parts, walls)];
  await makePlaces(mounts, { "/tmp": folder.temp, "/var/tmp": folder.temp, [HOME_INSIDE]: folder.home });
  return { name: containerName(), mounts, confined: await isConfined(), init };
}

function sessionMounts({
  engine,
  folder,
  own,
}: Pick<Parameters<typeof containerPlan>[0], "engine" | "folder" | "own">): readonly Mount[] {
  const { network } = engine.settings;
  return [
    { from: folder.temp, to: "/tmp" },
    { from: folder.temp, to: "/var/tmp" },
    { from: folder.home, to: HOME_INSIDE },
    { from: own, to: OWN_INSIDE, readOnly: true },
    ...(network === "proxy" ? [{ from: folder.proxy, to: PROXY_SOCKET }] : []),
  ];
}

/** What can be read only comes first: a workspace may lie in it. */
function workspaceMounts(
  {
    policy,
    folder,
    roots,
    above,
  }: Pick<Parameters<typeof containerPlan>[0], "policy" | "folder" | "roots" | "above">,
  { open, kept, covered, emptied }: WorkspaceWalls,
): readonly Mount[] {
  const { readable = [], apart } = policy;
  const only = (path: string): Mount => ({ from: path, readOnly: true });
  const inWorkspace: readonly Mount[] = [
    ...roots.map(({ real }) => ({ from: real })),
    ...open.map((path) => ({ from: path })),
    ...kept.map(only),
    ...covered.map((path) => ({ from: folder.cover, to: path, readOnly: true })),
    ...emptied.map((path) => ({ from: folder.empty, to: path, readOnly: true })),
  ];
  const hidden = apart.filter((path) => readable.some((each) => isUnder(path, each)));
  return [
    ...[...readable, ...above].map(only),
    ...hidden.map((path) => ({ from: folder.empty, to: path, readOnly: true })),
    ...inWorkspace,
    ...inWorkspace.flatMap((mount) => bySpelling(mount, roots)),
  ];
}

/** The same under the name by which the workspace was given, where that leads over a link. */
function bySpelling({ from, to = from, ...mount }: Mount, roots: readonly Root[]): readonly Mount[] {
  return roots
    .filter(({ spelled, real }) => spelled !== real && isUnder(to, real))
    .map(({ spelled, real }) => ({ ...mount, from, to: spelled + to.slice(real.length) }));
}

/** Whether SELinux is there: it would keep a container from the workspace. */
const isConfined = (): Promise<boolean> =>
  access("/sys/fs/selinux/enforce").then(
    () => true,
    () => false,
  );
