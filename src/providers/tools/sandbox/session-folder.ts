import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { gitIdentity } from "./git-identity.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";

/** A folder outside, in which its host gives a sign of life. Disposing removes it. */
export interface LivingFolder extends AsyncDisposable {
  readonly path: string;
}

/** The folder of one session's sandbox, outside. Disposing removes it. */
export interface SessionFolder extends LivingFolder {
  /** What programs inside see as `/tmp`. */
  readonly temp: string;
  /** Their home. */
  readonly home: string;
  /** The socket of the proxy. */
  readonly proxy: string;
  /** The file that a secret is covered with. */
  readonly cover: string;
  /** The folder that stands for a folder of secrets. */
  readonly empty: string;
  /** Writes a file that only the host reads. */
  write(name: string, content: string | Uint8Array): Promise<string>;
  /** Leaves a note there until it is disposed. */
  note(name: string, content: string): Disposable;
}

/** How the names of all such folders begin. */
export const SESSION_PREFIX = "agent-sandbox-";
/** The socket in each on which its host listens for as long as it lives. */
export const LIFE_SOCKET = "life";

/** The folders of this process. */
const own = new Set<string>();

/** Whether a folder is one of this process: it is in use, and nobody need ask. */
export const isOwnFolder = (path: string): boolean => own.has(path);

const COVER = "# Hidden: programs in the sandbox of the agent do not read secrets.\n";

/** Makes an empty folder. Whoever clears away finds that somebody is there for as long as this process lives. */
export async function openLivingFolder(tempDir: string): Promise<LivingFolder> {
  const path = await mkdtemp(join(await realpath(tempDir), SESSION_PREFIX));
  own.add(path);
  const life = createServer((socket) => socket.destroy()).unref();
  const folder: LivingFolder = {
    path,
    async [Symbol.asyncDispose]() {
      // Its files go first: a folder without a sign of life is somebody's to clear away.
      await removeAll(path);
      own.delete(path);
      life.close();
    },
  };
  try {
    life.listen(join(path, `${LIFE_SOCKET}-new`));
    await once(life, "listening");
    // Whoever finds it finds somebody there.
    await rename(join(path, `${LIFE_SOCKET}-new`), join(path, LIFE_SOCKET));
    return folder;
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

/** @param person - the home of the person, whose name commits bear */
export async function openSessionFolder(tempDir: string, person: string): Promise<SessionFolder> {
  const folder = await openLivingFolder(tempDir);
  const at = (name: string): string => join(folder.path, name);
  try {
    await mkdir(at("tmp"), { mode: 0o700 });
    await mkdir(at("home"), { mode: 0o700 });
    await writeFile(join(at("home"), ".gitconfig"), await gitIdentity(person));
    await mkdir(at("empty"), { mode: 0o500 });
    await writeFile(at("cover"), COVER, { mode: 0o444 });
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
  return {
    ...folder,
    temp: at("tmp"),
    home: at("home"),
    proxy: at("proxy"),
    cover: at("cover"),
    empty: at("empty"),
    async write(name, content) {
      await writeFile(at(name), content, { mode: 0o600 });
      return at(name);
    },
    note(name, content) {
      writeFileSync(at(name), content, { mode: 0o600 });
      return { [Symbol.dispose]: () => rmSync(at(name), { force: true }) };
    },
  };
}

/** Removes a folder. Programs leave folders behind that nobody may write; their owner can. */
export async function removeAll(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!["EACCES", "EPERM", "ENOTEMPTY"].includes(systemErrorCode(error) ?? "")) throw error;
    await openAll(path);
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function openAll(path: string): Promise<void> {
  const { chmod, readdir } = await import("node:fs/promises");
  await chmod(path, 0o700).catch(() => undefined);
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await openAll(join(path, entry.name));
}
