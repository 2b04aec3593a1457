import { once } from "node:events";
import { lstat, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { ownUser } from "./own-user.ts";
import { join } from "node:path";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import { isUnder } from "../workspace/roots.ts";
import { WorkspaceLook } from "./look/workspace-look.ts";
import type { Disarmed } from "./port.ts";
import { isOwnFolder, LIFE_SOCKET, removeAll, SESSION_PREFIX } from "./session-folder.ts";

/** The folders of a session, and the repositories in them that were there before a command of it. */
interface Running {
  readonly roots: readonly string[];
  readonly repositories: readonly string[];
}

/** What was disarmed for a host that was killed, until a session of its workspace tells of it. */
interface Told {
  readonly roots: readonly string[];
  readonly disarmed: readonly Disarmed[];
}

const MARK = /^running-\d+$/;
const TOLD = "told";
/** Milliseconds for which a folder may have nobody's sign of life: it is being made. */
const BEING_MADE_MS = 3_600_000;
/** Milliseconds for which it is kept what nobody has asked about. */
const TOLD_MS = 7 * 86_400_000;

/** The name and text of the note that a command runs: whoever finds it in the folder of a dead host looks for the command. */
export const runningNote = (count: number, running: Running): readonly [name: string, text: string] => [
  `running-${count}`,
  JSON.stringify(running),
];

/**
 * Clears away what killed hosts of this person left in the folder for temporary files, and disarms the repositories that
 * their last commands made. Resolves with what was disarmed in the given folders, now or by a session of others.
 */
export async function recoverAbandoned(
  tempDir: string,
  roots: readonly string[],
  now: number,
): Promise<readonly Disarmed[]> {
  const place = await realpath(tempDir).catch(() => tempDir);
  const names = await readdir(place).catch(() => []);
  const folders = names
    .filter((name) => name.startsWith(SESSION_PREFIX))
    .map((name) => join(place, name))
    .filter((folder) => !isOwnFolder(folder));
  const found: Disarmed[] = [];
  for (const folder of folders) {
    // Another host may be at the same folder: one of them is done first.
    found.push(...(await recover(folder, roots, now).catch(() => [])));
  }
  return found;
}

async function recover(folder: string, roots: readonly string[], now: number): Promise<readonly Disarmed[]> {
  const stat = await lstat(folder);
  const isOwn = stat.isDirectory() && stat.uid === ownUser().uid && (stat.mode & 0o077) === 0;
  if (!isOwn) return [];
  const earlier = await readTold(join(folder, TOLD));
  if (earlier !== undefined) {
    const isTheirs = touches(earlier.roots, roots);
    if (isTheirs || now - stat.ctimeMs > TOLD_MS) await removeAll(folder);
    return isTheirs ? earlier.disarmed : [];
  }
  if (await isAlive(folder, now - stat.ctimeMs < BEING_MADE_MS)) return [];
  const names = await readdir(folder);
  const told = await Promise.all(
    names.filter((name) => MARK.test(name)).map((name) => disarm(join(folder, name))),
  );
  const disarmed = told.flatMap((each) => each.disarmed);
  const disarmedIn = told.flatMap((each) => each.roots);
  if (disarmed.length === 0 || touches(disarmedIn, roots)) {
    await removeAll(folder);
    return disarmed;
  }
  await writeFile(join(folder, TOLD), JSON.stringify({ roots: disarmedIn, disarmed } satisfies Told));
  await Promise.all(names.map((name) => removeAll(join(folder, name))));
  return [];
}

/** Whether a host listens on the socket of a folder: the system answers, also for one of another container. */
async function isAlive(folder: string, mayBeNew: boolean): Promise<boolean> {
  const socket = connect(join(folder, LIFE_SOCKET));
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    return code === "ENOENT" ? mayBeNew : code !== "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}

/** Looks for what a command did that nobody has looked after. */
async function disarm(note: string): Promise<Told> {
  const { roots, repositories } = await readRunning(note);
  await rm(note, { force: true });
  return { roots, disarmed: await new WorkspaceLook(roots).disarm(new Set(repositories)) };
}

async function readRunning(path: string): Promise<Running> {
  const read = parsed(await readFile(path, "utf8"));
  return { roots: texts(read["roots"]), repositories: texts(read["repositories"]) };
}

async function readTold(path: string): Promise<Told | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const read = parsed(text);
  const list: readonly unknown[] = Array.isArray(read["disarmed"]) ? read["disarmed"] : [];
  const disarmed = list.flatMap((entry) => {
    if (!isJsonObject(entry)) return [];
    const { path: at, what } = entry;
    return typeof at === "string" && typeof what === "string" ? [{ path: at, what }] : [];
  });
  return { roots: texts(read["roots"]), disarmed };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];

const touches = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.some((other) => isUnder(one, other) || isUnder(other, one)));
