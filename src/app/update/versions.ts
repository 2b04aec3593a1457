import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";
import { type ProgramPlace, outputOf } from "../process/own-program.ts";

/** The name under which this program is published. */
const PACKAGE = "agent-host";
const DRAFT = ".draft";
const CURRENT = "current.json";

/** The version that takes the place of another one. `bin/agent.js` reads it at each start. */
const Current = z.object({
  /** The version of the package whose place it takes; once another one is installed there, that one counts. */
  of: z.string(),
  version: z.string(),
});

const INSTALL_MS = 10 * 60_000;

/** The versions that updates have installed, in the folder `versions` of a home, each beside the others. */
export class Versions {
  readonly #folder: string;
  readonly #place: ProgramPlace;

  constructor(home: string, place: ProgramPlace) {
    this.#folder = join(home, "versions");
    this.#place = { ...place, cwd: home };
  }

  /** Asks the package's registry, which npm's own configuration names, for the newest version. @throws HostError `fetch_failed` */
  async newest(signal: AbortSignal): Promise<string> {
    const said = await this.#npm(["view", PACKAGE, "version", "--json"], signal);
    const version: unknown = JSON.parse(said === "" ? "null" : said);
    if (typeof version === "string") return version;
    throw new HostError("fetch_failed", `The registry knows no version of ${PACKAGE}.`);
  }

  /** Installs a version beside the others, unless it is there. @throws HostError `fetch_failed` */
  async install(version: string): Promise<void> {
    const folder = join(this.#folder, version);
    if (existsSync(this.programOf(version))) return;
    const draft = join(this.#folder, DRAFT);
    await rm(draft, { recursive: true, force: true });
    makeFolder(draft);
    const options = ["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--prefix", draft];
    await this.#npm(["install", ...options, `${PACKAGE}@${version}`], AbortSignal.timeout(INSTALL_MS));
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    if (!existsSync(this.programOf(version)))
      throw new HostError("fetch_failed", `${PACKAGE} ${version} of the registry has no command.`);
  }

  /** The file of a version's command. */
  programOf(version: string): string {
    return join(this.#folder, version, "node_modules", PACKAGE, "bin", "agent.js");
  }

  /** The version that stands in the place of a package; `undefined` when that itself runs. */
  current(base: string): string | undefined {
    try {
      const text = readFileSync(join(this.#folder, CURRENT), "utf8");
      const { of, version } = Current.parse(JSON.parse(text));
      return of === base && existsSync(this.programOf(version)) ? version : undefined;
    } catch {
      return undefined;
    }
  }

  /** Lets a version take the place of a package, or with `undefined` gives that its place back. At once, or not at all. */
  switchTo(version: string | undefined, base: string): void {
    const file = join(this.#folder, CURRENT);
    if (version === undefined) rmSync(file, { force: true });
    else replaceFile(file, JSON.stringify({ of: base, version }), 0o600);
  }

  /** Deletes all versions but these. */
  async keepOnly(versions: readonly (string | undefined)[]): Promise<void> {
    const entries = readdirSync(this.#folder, { withFileTypes: true });
    const old = entries.filter((entry) => entry.isDirectory() && !versions.includes(entry.name));
    for (const { name } of old) await rm(join(this.#folder, name), { recursive: true, force: true });
  }

  #npm(args: readonly string[], signal: AbortSignal): ReturnType<typeof outputOf> {
    makeFolder(this.#place.cwd);
    return outputOf("npm", args, { ...this.#place, signal }).catch((thrown: unknown) => {
      throw npmFailure(thrown);
    });
  }
}

/** The words of npm that say most, without its advice about logs. */
function npmFailure(thrown: unknown): unknown {
  if (!(thrown instanceof HostError)) return thrown;
  if (thrown.code === "not_found")
    return new HostError(
      "not_found",
      "npm is not on the PATH of this process: install it, or update the package in the way in which it was installed.",
      { cause: thrown },
    );
  const said = thrown.message.split("\n").map((line) => line.replace(/^npm (?:error|ERR!) ?/, "").trim());
  const words = said.filter((line) => line !== "" && !/^(?:code|A complete log|Note that) /.test(line));
  return new HostError("fetch_failed", `npm says: ${words.slice(0, 3).join(" ")}`, { cause: thrown });
}
