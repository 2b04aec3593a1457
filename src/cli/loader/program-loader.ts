import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import type { CompiledCode } from "./code-cache.ts";
import type { ChunkScript } from "./script.ts";

interface Chunk {
  exports: object;
  /** Of a chunk that waits for something. */
  ended: Promise<void> | undefined;
}

/** New code is worth a file from this many characters of source on. */
const WORTH_IT = 50_000;

/**
 * A loader of the program's chunks, with the code that an earlier process has compiled. Of modules, Node keeps only what is
 * compiled before they run, which is little of what a start needs.
 */
export class ProgramLoader {
  readonly #folder: string;
  readonly #compiled: CompiledCode;
  readonly #chunks = new Map<string, Chunk>();
  readonly #scripts = new Map<string, Script>();
  #newCharacters = 0;

  constructor(folder: string, compiled: CompiledCode) {
    this.#folder = folder;
    this.#compiled = compiled;
  }

  /** Gives what a chunk exports. One that waits for something has exported nothing yet. */
  readonly load = (name: string): object => this.#chunk(name).exports;

  readonly #later = async (name: string): Promise<object> => {
    const chunk = this.#chunk(name);
    await chunk.ended;
    return chunk.exports;
  };

  #chunk(name: string): Chunk {
    const known = this.#chunks.get(name);
    if (known !== undefined) return known;
    const chunk: Chunk = { exports: {}, ended: undefined };
    this.#chunks.set(name, chunk);
    const file = join(this.#folder, name);
    chunk.ended = this.#compile(
      name,
      file,
    )({
      load: this.load,
      later: this.#later,
      // In a script, Node would call it experimental.
      outside: async (request: string): Promise<object> => await import(request),
      exports: (own) => (chunk.exports = own),
      url: pathToFileURL(file).href,
    });
    return chunk;
  }

  #compile(name: string, filename: string): ChunkScript {
    // The build writes a byte per character.
    const source = readFileSync(filename, "latin1");
    const cachedData = this.#compiled.get(name);
    const script = new Script(source, {
      filename,
      ...(cachedData && { cachedData }),
    });
    // An entry's name says nothing about what it holds.
    if (/-[\w-]{8}\.js$/.test(name)) {
      this.#scripts.set(name, script);
      if (cachedData === undefined || script.cachedDataRejected === true)
        this.#newCharacters += source.length;
    }
    // The build writes each chunk as such a function.
    return script.runInThisContext() as ChunkScript;
  }

  /** The compiled code of all chunks, with what has been compiled while they ran; nothing when little of it is new. */
  compiled(): CompiledCode | undefined {
    if (this.#newCharacters < WORTH_IT) return undefined;
    this.#newCharacters = 0;
    const all = new Map<string, Buffer>();
    for (const [name, script] of this.#scripts) all.set(name, script.createCachedData());
    // Chunks of the same build, which another use of the command needs.
    const isSameBuild = [...all.keys()].some((name) => this.#compiled.has(name));
    if (isSameBuild) for (const [name, code] of this.#compiled) if (!all.has(name)) all.set(name, code);
    return all;
  }
}
