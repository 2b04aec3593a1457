import { posix } from "node:path";
import { wordList } from "../../../../shared/text/word-list.ts";
import { matchGlob, parseGlob } from "../../files/glob.ts";

/** Directories without which a system, or a person's account, is gone. */
const SYSTEM = wordList(`
  / /bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /usr /var
  /usr/bin /usr/include /usr/lib /usr/lib64 /usr/local /usr/local/bin /usr/local/lib /usr/sbin /usr/share
  /var/lib /var/log /nix /nix/store /snap /Applications /Library /System /Users /Volumes /private
  /private/etc /private/var
`);

/** The home folder and the workspace around a command. */
export interface Ground {
  readonly home: string;
  readonly roots: readonly string[];
}

/** A last name that stands for everything in its directory, hidden files or not. */
const EVERYTHING = /^[*?.[\]!^-]*[*?][*?.[\]!^-]*$/;

/** The directory whose loss a path means: `/etc/*` and `/etc/./` mean `/etc`. */
function meant(path: string, cwd: string): string {
  const names = path.split("/");
  while (names.length > 0 && (names.at(-1) === "" || EVERYTHING.test(names.at(-1) ?? ""))) names.pop();
  const left = names.join("/");
  if (left === "") return path.startsWith("/") ? "/" : posix.resolve(cwd);
  return posix.resolve(cwd, left).replace(/^\/proc\/(self|\d+)\/(root|cwd)(?=\/|$)/, "") || "/";
}

/** Whether a path is, or holds, the system itself; a pattern, whether one of its names does. */
export function isSystemPath(path: string, cwd: string): boolean {
  const folder = meant(path, cwd);
  return /^\/(home|Users)\/[^/]+$/.test(folder) || standsFor(folder, SYSTEM);
}

/** Whether losing a path loses the system, a home directory, or the directories around the workspace. */
export function isCriticalPath(path: string, cwd: string, { home, roots }: Ground): boolean {
  if (isSystemPath(path, cwd)) return true;
  const around = roots.flatMap((root) => above(posix.resolve(root)));
  return standsFor(meant(path, cwd), [posix.resolve(home), ...around]);
}

/** Whether a folder is one of others; a pattern, whether it fits one of them. */
function standsFor(folder: string, others: readonly string[]): boolean {
  if (others.includes(folder)) return true;
  if (!/[*?[]/.test(folder)) return false;
  const glob = parseGlob(folder.slice(1));
  return others.some((other) => matchGlob(glob, other.slice(1).split("/")));
}

/** The folders around one, `/` as well. */
function above(folder: string): readonly string[] {
  const parent = posix.dirname(folder);
  return parent === folder ? [] : [parent, ...above(parent)];
}

/** A disk or memory of the machine; writing there is past every file system. */
export function isRawDevice(path: string): boolean {
  const device = posix.normalize(path).replace(/^\/dev\//, "");
  if (device === posix.normalize(path)) return posix.normalize(path) === "/proc/sysrq-trigger";
  return /^(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|md|dm-|mapper\/|loop|nbd|zd|ram|sr|fd\d|mem$|kmem$|port$|mtd|pmem|block\/)/.test(
    device,
  );
}
