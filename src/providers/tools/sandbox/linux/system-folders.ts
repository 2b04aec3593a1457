import {
  chmodSync,
  copyFileSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
} from "node:fs";
import { lstat, mkdir, readdir, readlink, writeFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { ownUser } from "../own-user.ts";
import { join } from "node:path";

/** The folder that programs inside take for their home. */
export const HOME_INSIDE = "/home/agent";

/** The person as whom programs run inside. Root has no power there, so it is called nobody. */
export interface InnerUser {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
}

const NOBODY = 65_534;

export function innerUser(): InnerUser {
  const { uid, gid, name } = ownUser();
  if (uid === 0) return { uid: NOBODY, gid: NOBODY, name: "nobody" };
  return { uid, gid, name: /^[\w.-]+$/.test(name) ? name : "agent" };
}

/** Folders that are links into `/usr` on most systems, and folders on others. */
const MERGED = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Where programs of other layouts live. */
const STORES = ["/nix/store", "/gnu/store"];

/** The arguments that make the system's programs readable. */
export async function systemArguments(): Promise<readonly string[]> {
  const found = await Promise.all(
    [...MERGED, ...STORES].map(async (path) => {
      const stat = await lstat(path).catch(() => undefined);
      if (stat?.isSymbolicLink() === true) return ["--symlink", await readlink(path), path];
      return stat?.isDirectory() === true ? ["--ro-bind", path, path] : [];
    }),
  );
  return ["--ro-bind", "/usr", "/usr", ...found.flat()];
}

/** What programs read of `/etc` and holds no secret. */
const COPIED = [
  "ld.so.cache",
  "ld.so.conf",
  "ld-musl-x86_64.path",
  "ld-musl-aarch64.path",
  "localtime",
  "timezone",
  "mime.types",
  "protocols",
  "services",
  "os-release",
  "debian_version",
  "alpine-release",
  "redhat-release",
  "bash.bashrc",
  "inputrc",
  "locale.alias",
  "locale.conf",
];
const COPIED_FOLDERS =
  /^(ssl|pki|ca-certificates|crypto-policies|fonts|alternatives|ld\.so\.conf\.d|java.*|maven|perl|python[\d.]*|R)$/;
/** What everybody may read holds no key. */
const FOR_ALL = 0o004;
const WRITTEN_BY_OTHERS = 0o022;
/** Entries from which on a folder is shown itself, where nothing in it is private: a copy of hundreds of links takes longer than a mount. */
const MANY = 64;

/** Fills a folder with what stands for `/etc` inside. Resolves with the arguments that show it there. */
export async function writeEtc(folder: string, user: InnerUser): Promise<readonly string[]> {
  await mkdir(folder);
  const { uid, gid, name } = user;
  const others = uid === NOBODY ? "" : `nobody:x:${NOBODY}:${NOBODY}:nobody:/nonexistent:/bin/false\n`;
  const files: Readonly<Record<string, string>> = {
    passwd: `root:x:0:0:root:/root:/bin/sh\n${others}${name}:x:${uid}:${gid}::${HOME_INSIDE}:/bin/sh\n`,
    group: `root:x:0:\n${uid === NOBODY ? "" : `nogroup:x:${NOBODY}:\n`}${name}:x:${gid}:\n`,
    hosts: "127.0.0.1 localhost\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
  };
  const [names] = await Promise.all([
    readdir("/etc"),
    ...Object.entries(files).map(([file, text]) => writeFile(join(folder, file), text)),
    ...COPIED.map((file) => copied(join("/etc", file), join(folder, file))),
  ]);
  const shown: string[] = [];
  const folders = names.filter((entry) => COPIED_FOLDERS.test(entry));
  for (const entry of folders) await copied(join("/etc", entry), join(folder, entry), shown);
  // Few mounts: each costs time at every start.
  return ["--ro-bind", folder, "/etc", ...shown.toSorted().flatMap((path) => ["--ro-bind", path, path])];
}

/**
 * Copies what everybody may read; what is not there, or not for all, is missing inside too. It does not wait for the disk:
 * these are few small files, and for each of them a wait costs ten times the work.
 *
 * @param shown - gets the folders that are to be shown themselves: the copy has empty ones in their places
 */
async function copied(from: string, to: string, shown: string[] = []): Promise<void> {
  // Others wait for one of these at most.
  await setImmediate();
  try {
    copyReadable(from, to, shown);
  } catch {
    // Programs do without it, as they do on systems that have no such file.
  }
}

/** Removes what `writeEtc` wrote, and waits for the disk as little as that does; what cannot be removed is left. */
export async function removeEtc(folder: string): Promise<void> {
  for (const entry of await readdir(folder).catch(() => [])) {
    await setImmediate();
    try {
      rmSync(join(folder, entry), { recursive: true, force: true });
    } catch {
      // Whoever removes the folder around it has ways.
    }
  }
}

/** Joins paths by letters, as names of a folder may be: it does this for hundreds. */
function copyReadable(from: string, to: string, shown: string[]): void {
  const stat = lstatSync(from, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() === true) return symlinkSync(readlinkSync(from), to);
  if (stat === undefined || (stat.mode & FOR_ALL) === 0) return;
  if (stat.isFile()) return copyFileSync(from, to);
  if (!stat.isDirectory()) return;
  mkdirSync(to);
  const entries = readdirSync(from, { withFileTypes: true });
  if (isShowable(from, stat, entries)) shown.push(from);
  else for (const { name } of entries) copyReadable(`${from}/${name}`, `${to}/${name}`, shown);
  chmodSync(to, stat.mode);
}

/** Whether a folder holds much, and nothing but what everybody may read. */
const isShowable = (path: string, { mode }: Stats, entries: readonly Dirent[]): boolean =>
  (mode & WRITTEN_BY_OTHERS) === 0 && entries.length >= MANY && isForAll(path, entries);

function isForAll(path: string, entries: readonly Dirent[]): boolean {
  return entries
    .filter((entry) => !entry.isSymbolicLink())
    .every(({ name }) => {
      const inner = `${path}/${name}`;
      const stat = lstatSync(inner);
      if ((stat.mode & FOR_ALL) === 0 || (stat.mode & WRITTEN_BY_OTHERS) !== 0) return false;
      if (stat.isFile()) return true;
      return stat.isDirectory() && isForAll(inner, readdirSync(inner, { withFileTypes: true }));
    });
}
