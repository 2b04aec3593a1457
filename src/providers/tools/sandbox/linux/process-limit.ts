import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, readlink, rmdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

/** A bound of the number of processes that also holds for root. Disposing gives it up. */
export interface ProcessLimit extends AsyncDisposable {
  /** The file into which a process writes its number to be bounded; empty where there is none. */
  readonly enter: string;
  /** Why root's processes are not bounded here, a sentence. */
  readonly gap: string | undefined;
}

const NAME = "agent-sandbox";
const GROUP = new RegExp(`^${NAME}-(\\d+)-(\\d+)-`);

/**
 * Makes a group of processes with a bound. The kernel lets root exceed the bound that every process can set for itself;
 * anybody else needs no group.
 */
export async function openProcessLimit(
  { uid, hostPid, session }: { readonly uid: number; readonly hostPid: number; readonly session: string },
  most: number,
): Promise<ProcessLimit> {
  if (uid !== 0) return unbounded(undefined);
  const folder = await ownGroup();
  if (folder === undefined) return unbounded(GAP);
  const namespace = await pidNamespace();
  const group = join(folder, `${NAME}-${namespace}-${hostPid}-${basename(session)}`);
  try {
    await mkdir(group);
    await writeFile(join(group, "pids.max"), String(most));
    await dropStale(folder, namespace);
    return {
      enter: join(group, "cgroup.procs"),
      gap: undefined,
      // A group with somebody in it cannot be removed; the next session's does it.
      [Symbol.asyncDispose]: () => rmdir(group).catch(() => undefined),
    };
  } catch {
    await rmdir(group).catch(() => undefined);
    return unbounded(GAP);
  }
}

const GAP =
  "The number of processes is not bounded: this host runs as root, and its control groups cannot be written.";

const unbounded = (gap: string | undefined): ProcessLimit => ({
  enter: "",
  gap,
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

/** This process's own group, in the hierarchy that counts processes. */
async function ownGroup(): Promise<string | undefined> {
  const lines = (await readFile("/proc/self/cgroup", "utf8").catch(() => "")).trim().split("\n");
  for (const line of lines) {
    const [, controllers = "", path = "/"] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (!controllers.split(",").includes("pids") && controllers !== "") continue;
    const base = controllers === "" ? "/sys/fs/cgroup" : "/sys/fs/cgroup/pids";
    const folder = join(base, path);
    if (existsSync(join(folder, "cgroup.procs")) && (await canCount(folder, controllers === "")))
      return folder;
  }
  return undefined;
}

async function canCount(folder: string, isUnified: boolean): Promise<boolean> {
  if (!isUnified) return true;
  const enabled = await readFile(join(folder, "cgroup.subtree_control"), "utf8").catch(() => "");
  return enabled.split(/\s+/).includes("pids");
}

/** A number of the namespace in which this process's number means something. */
const pidNamespace = async (): Promise<string> =>
  /\d+/.exec(await readlink("/proc/self/ns/pid").catch(() => ""))?.[0] ?? "0";

/** Removes the empty groups of hosts of this namespace that were killed. One of a living host may be empty between two commands. */
async function dropStale(folder: string, namespace: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const stale = names.filter((name) => {
    const [, where, pid] = GROUP.exec(name) ?? [];
    return where === namespace && pid !== undefined && !existsSync(`/proc/${pid}`);
  });
  await Promise.all(stale.map((name) => rmdir(join(folder, name)).catch(() => undefined)));
}
