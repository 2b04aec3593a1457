import { hash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedDataVersionTag } from "node:v8";
import type { main } from "../main.ts";
import { CodeCache } from "./code-cache.ts";
import { ProgramLoader } from "./program-loader.ts";

/** Milliseconds after which a process that stays has compiled what its start needs. */
const STARTED = 5000;

/**
 * Loads the program. What it compiles is kept for the next process with the same command, where Node would keep its own:
 * `NODE_COMPILE_CACHE` names the place, `NODE_DISABLE_COMPILE_CACHE` switches it off.
 *
 * @param argv - of the command: each one has its own code
 */
export function loadProgram(argv: readonly string[]): { readonly main: typeof main } {
  const folder = fileURLToPath(new URL("./program/", import.meta.url));
  const cache = cacheFor(folder, argv);
  const loader = new ProgramLoader(folder, cache?.read() ?? new Map());
  if (cache !== undefined) {
    const keep = (): void => {
      const code = loader.compiled();
      if (code !== undefined) cache.write(code, process.pid);
    };
    setTimeout(keep, STARTED).unref();
    process.on("exit", (status) => {
      // What failed has compiled too little, or too much.
      if (status === 0) keep();
    });
  }
  // The build's own entry, of which this is the type.
  return loader.load("cli.js") as { readonly main: typeof main };
}

/** A file per command and place of the program. A later version of either replaces it; one with other flags of V8 has its own. */
function cacheFor(folder: string, argv: readonly string[]): CodeCache | undefined {
  const { NODE_COMPILE_CACHE: place = tmpdir(), NODE_DISABLE_COMPILE_CACHE: off = "" } = process.env;
  const user = process.getuid?.();
  if (user === undefined || off !== "") return undefined;
  const [word = ""] = argv;
  const command = /^[a-z]{2,12}$/.test(word) ? word : "chat";
  const program = hash("sha256", `${folder}\0${process.version}\0${cachedDataVersionTag()}`);
  return new CodeCache(join(place, `agent-code-${user}`), `${command}-${program.slice(0, 12)}`, user);
}
