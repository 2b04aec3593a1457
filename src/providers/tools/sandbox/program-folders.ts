import { existsSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isSecret } from "../workspace/sensitive.ts";
import { isUnder } from "../workspace/roots.ts";

/** The folders that are inside anyway, as the system's. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/nix/store",
  "/gnu/store",
  "/etc/ssl",
  "/etc/pki",
];
/** Variables that name the folder of a toolchain. */
const TOOLCHAINS = [
  "BUN_INSTALL",
  "CONDA_PREFIX",
  "DOTNET_ROOT",
  "FNM_DIR",
  "GOROOT",
  "JAVA_HOME",
  "NVM_DIR",
  "PYENV_ROOT",
  "RBENV_ROOT",
  "RUSTUP_HOME",
  "SDKMAN_DIR",
  "VIRTUAL_ENV",
  "VOLTA_HOME",
];
/** Variables that name a file or folder of certificates. */
const CERTIFICATES = [
  "CURL_CA_BUNDLE",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
];
/** Folders of programs whose parents hold what they are made of. */
const BIN = new Set(["bin", "sbin", "shims", "libexec", "condabin"]);
/** The programs of packages, which lie beside them. */
const PACKAGES = "/node_modules/.bin";
/** Folders of a home where programs lie beside settings and keys. */
const MIXED = new Set([".local", ".cargo", ".config", ".cache", "snap"]);
/** Links of one folder of programs that are followed; folders that are shown in all. */
const MOST_LINKS = 300;
const MOST_FOLDERS = 48;

/** The places that decide what a folder of programs may show. */
export interface ProgramPlaces {
  readonly home: string;
  readonly apart: readonly string[];
  readonly roots: readonly string[];
}

/**
 * The folders outside the system's in which this person's programs live: those of PATH, what their links lead to, and the
 * homes of toolchains. A folder that holds secrets, a home or the agent's own is not shown.
 */
export async function programFolders(
  env: Readonly<Record<string, string>>,
  places: ProgramPlaces,
  execPath: string,
): Promise<readonly string[]> {
  const entries = (env["PATH"] ?? "").split(":").filter((entry) => isAbsolute(entry));
  const named = [...TOOLCHAINS, ...CERTIFICATES]
    .flatMap((name) => env[name] ?? [])
    .filter((path) => isAbsolute(path));
  const homes = Object.values(toolchainHomes(places.home));
  const linked = await Promise.all(entries.map((entry) => linkTargets(entry)));
  const targets = [execPath, ...linked.flat()].map((path) => dirname(path));
  const wanted = [
    ...[...entries, ...targets].map((entry) => wholeOf(entry, places)),
    ...named,
    ...homes,
  ].filter((path) => isShowable(path, places));
  const present = await Promise.all(
    [...new Set(wanted)].map(async (path) => ((await isSafe(path, places)) ? [path] : [])),
  );
  const folders = present.flat();
  return folders
    .filter((path) => !folders.some((other) => other !== path && isUnder(path, other)))
    .slice(0, MOST_FOLDERS);
}

/** Variables for toolchains that live in a person's home, which is another one inside. */
export function toolchainHomes(home: string): Readonly<Record<string, string>> {
  const homes = { RUSTUP_HOME: ".rustup", PYENV_ROOT: ".pyenv", NVM_DIR: ".nvm", VOLTA_HOME: ".volta" };
  const present = Object.entries(homes).map(([name, folder]) => [name, join(home, folder)] as const);
  return Object.fromEntries(present.filter(([, path]) => existsSync(path)));
}

/** The folder with all that a program folder's programs are made of, where that is no mixture. */
function wholeOf(entry: string, { home }: ProgramPlaces): string {
  const parent = dirname(entry);
  if (entry.endsWith(PACKAGES)) return parent;
  const isMixed = dirname(parent) === home && MIXED.has(basename(parent));
  if (!BIN.has(basename(entry)) || isMixed || parent === "/" || isUnder(home, parent)) return entry;
  return parent;
}

function isShowable(path: string, { home, apart, roots }: ProgramPlaces): boolean {
  if ([...SYSTEM, ...roots].some((folder) => isUnder(path, folder))) return false;
  if (
    ["/", "/tmp", "/var", "/etc", "/home", "/root", "/run", "/dev", "/proc", "/sys", "/mnt", "/opt"].includes(
      path,
    )
  )
    return false;
  if (isUnder(home, path) || isSecret(path)) return false;
  return !apart.some((folder) => isUnder(path, folder) || isUnder(folder, path));
}

/** A path by whose real place nothing else is meant. */
async function isSafe(path: string, places: ProgramPlaces): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return false;
  if (SYSTEM.some((folder) => isUnder(real, folder))) return true;
  return (
    isShowable(real, { ...places, roots: [] }) && (await stat(real).catch(() => undefined)) !== undefined
  );
}

/** The real places of the programs of a folder that are links to elsewhere. */
async function linkTargets(folder: string): Promise<readonly string[]> {
  const isSystem = SYSTEM.some((each) => isUnder(folder, each)) && folder !== "/usr/local/bin";
  if (isSystem || folder.endsWith(PACKAGES)) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const links = entries.filter((entry) => entry.isSymbolicLink()).slice(0, MOST_LINKS);
  const targets = await Promise.all(
    links.map(({ name }) => realpath(join(folder, name)).catch(() => undefined)),
  );
  return targets.filter((target) => target !== undefined);
}
