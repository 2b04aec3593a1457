import { posix } from "node:path";
import { type Glob, matchGlob, parseGlob } from "../../files/glob.ts";

/** Directories without which a system, or a person's account, is gone. */
const SYSTEM = new Set(
  [
    "/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /usr /var",
    "/usr/bin /usr/include /usr/lib /usr/lib64 /usr/local /usr/local/bin /usr/local/lib /usr/sbin /usr/share",
    "/var/lib /var/log /nix /nix/store /snap /Applications /Library /System /Users /Volumes /private",
    "/private/etc /private/var",
  ]
    .join(" ")
    .split(" "),
);

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
  if (SYSTEM.has(folder) || /^\/(home|Users)\/[^/]+$/.test(folder)) return true;
  if (!/[*?[]/.test(folder)) return false;
  const glob: Glob = parseGlob(folder.slice(1));
  return [...SYSTEM].some((each) => matchGlob(glob, each.slice(1).split("/")));
}

/** Whether losing a path loses the system, a home directory, or the directories around the workspace. */
export function isCriticalPath(path: string, cwd: string, { home, roots }: Ground): boolean {
  const directory = meant(path, cwd);
  if (isSystemPath(path, cwd) || directory === posix.resolve(home)) return true;
  return roots.some((root) => {
    const inner = posix.resolve(root);
    return inner !== directory && inner.startsWith(`${directory}/`);
  });
}

/** A disk or memory of the machine; writing there is past every file system. */
export function isRawDevice(path: string): boolean {
  const device = posix.normalize(path).replace(/^\/dev\//, "");
  if (device === posix.normalize(path)) return posix.normalize(path) === "/proc/sysrq-trigger";
  return /^(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|md|dm-|mapper\/|loop|nbd|zd|ram|sr|fd\d|mem$|kmem$|port$|mtd|pmem|block\/)/.test(
    device,
  );
}
