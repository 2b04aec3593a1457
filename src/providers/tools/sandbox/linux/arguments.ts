import { existsSync } from "node:fs";
import { wordList } from "../../../../shared/text/word-list.ts";
import { ownUser } from "../own-user.ts";
import { childEnvironment } from "../../spawn/environment.ts";
import type { BubblewrapEngine, SandboxPolicy, SandboxTools } from "../policy.ts";
import { worktreeAbove } from "../look/git-places.ts";
import type { WorkspaceWalls } from "../look/workspace-look.ts";
import { isUnder } from "../../workspace/roots.ts";
import { programFolders } from "../program-folders.ts";
import type { SessionFolder } from "../session-folder.ts";
import { PROXY_SOCKET } from "./first-program.ts";
import { HOME_INSIDE, innerUser, systemArguments } from "./system-folders.ts";

/** The parts that a sandbox of `bwrap` is opened with. */
export interface BubblewrapParts {
  readonly engine: BubblewrapEngine;
  readonly policy: SandboxPolicy;
  readonly tools: SandboxTools;
}

/** A folder of the workspace, by the name that it was given and by its own. */
export interface Root {
  readonly spelled: string;
  readonly real: string;
}

/** What is apart: users, processes, network, System V's objects, names. No privilege is left, and none can be gained. */
const WALLS = wordList(`
  --die-with-parent --new-session --unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try
  --cap-drop ALL --hostname sandbox`);

/** Parts of the kernel's files that belong to the whole machine, and that root could change without any privilege. */
const MACHINE_WIDE = wordList("sys sysrq-trigger irq bus fs acpi scsi mtrr").map((name) => `/proc/${name}`);

/** The places of a session. */
export interface SharedPlaces {
  readonly folder: SessionFolder;
  /** The arguments that show a copy of `/etc`. */
  readonly etc: readonly string[];
  readonly roots: readonly Root[];
  /** Besides those of the policy. */
  readonly readable: readonly string[];
}

/** Lists of what the whole machine holds: keys by their names, timers, tasks. */
const MACHINE_LISTS = wordList("keys key-users timer_list sched_debug latency_stats").map(
  (name) => `/proc/${name}`,
);

/** Anybody but root is kept from those by the kernel, but for the names of their own keys. */
function machineArguments(isRoot: boolean): readonly string[] {
  const wide = MACHINE_WIDE.filter((path) => existsSync(path) && (isRoot || path === "/proc/sys"));
  const lists = MACHINE_LISTS.filter((path) => existsSync(path) && (isRoot || path === "/proc/keys"));
  return [
    ...wide.flatMap((path) => ["--ro-bind", path, path]),
    ...lists.flatMap((path) => ["--ro-bind", "/dev/null", path]),
  ];
}

/** The arguments that are the same for all programs of a session: everything but what is in the workspace. */
export async function sharedArguments(
  { engine, policy, tools }: BubblewrapParts,
  { folder, etc, roots, readable: above }: SharedPlaces,
): Promise<readonly string[]> {
  const user = innerUser();
  const { home, apart, readable = [] } = policy;
  const places = { home, apart, roots: roots.map(({ real }) => real) };
  const env = childEnvironment(tools.machine.env);
  const programs = await programFolders(env, places, tools.machine.execPath);
  const parts: readonly (readonly string[])[] = [
    WALLS,
    engine.disablesUserNamespaces ? ["--disable-userns"] : [],
    ["--uid", String(user.uid), "--gid", String(user.gid)],
    await systemArguments(),
    etc,
    ["--proc", "/proc"],
    machineArguments(ownUser().uid === 0),
    ["--dev", "/dev", "--bind", folder.temp, "/tmp", "--symlink", "../tmp", "/var/tmp", "--dir", "/run"],
    ["--bind", folder.home, HOME_INSIDE, "--ro-bind", folder.proxy, PROXY_SOCKET],
    [...programs, ...readable, ...above].flatMap((path) => ["--ro-bind-try", path, path]),
    apart.filter((path) => readable.some((each) => isUnder(path, each))).flatMap((path) => ["--tmpfs", path]),
    roots.flatMap(({ real }) => ["--bind", real, real]),
    // A second mount would show what the first one covers.
    roots.flatMap(({ spelled, real }) => (spelled === real ? [] : ["--symlink", real, spelled])),
  ];
  return parts.flat();
}

/** The arguments for what is in the workspace, which may change between two programs. */
export function workspaceArguments(
  { open, covered, emptied, kept }: WorkspaceWalls,
  { cover, empty }: SessionFolder,
): readonly string[] {
  return [
    ...open.flatMap((path) => ["--bind", path, path]),
    ...kept.flatMap((path) => ["--ro-bind", path, path]),
    ...covered.flatMap((path) => ["--ro-bind", cover, path]),
    ...emptied.flatMap((path) => ["--ro-bind", empty, path]),
  ];
}

/** The working trees of git in which the workspace is a part: without them its repository would look torn. */
export function treesAbove(
  { policy }: Pick<BubblewrapParts, "policy">,
  roots: readonly Root[],
): readonly string[] {
  const { home, apart, tempDir } = policy;
  const found = roots.map(({ real }) => worktreeAbove(real));
  const trees = [...new Set(found.filter((tree) => tree !== undefined))];
  const outside = [home, tempDir, ...apart];
  return trees.filter((tree) => tree.split("/").length > 2 && !outside.some((path) => isUnder(path, tree)));
}
