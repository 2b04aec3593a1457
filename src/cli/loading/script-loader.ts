import { closeSync, existsSync, fstatSync, openSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { fill } from "../../shared/files/fill.ts";
import { CodePack, replaceCodePack, replaceCodePackLater } from "./code-pack.ts";
import { ReadBuffer } from "./read-buffer.ts";

/** What a script exports. */
type Exports = Readonly<Record<string, unknown>>;

/** How a script takes another one; where the source has `import()`, `late` does, and `module` takes what is no script. */
interface Load {
  (name: string): Exports | Promise<Exports>;
  readonly late: (name: string) => Promise<Exports>;
  readonly module: (specifier: string) => Promise<unknown>;
}

/** A script's value; it is asynchronous when the script waits for something before it exports. */
type ScriptFunction = (load: Load, meta: { readonly url: string }) => Exports | Promise<Exports>;

/** The name of a script that says what stands in it: V8 would take the code of another text of the same length. */
const NAMED_BY_CONTENT = /-[\w-]{8}\.cjs$/;
/** Each process makes the pack richer by what it has used; after so many, what is missing is rare. */
const ENOUGH_SAVES = 3;
/** Scripts that are in no pack yet are added to it; a home on which that always fails is not tried for ever. */
const MOST_SAVES = 20;
/** Bytes that nearly every script fits into, and its code. */
const BUFFER = 1024 * 1024;

/**
 * The scripts that `rolldown.script-chunks.ts` writes, run with what V8 has compiled of them in earlier processes. That holds
 * each function that was used, so that a start compiles next to nothing.
 */
export class ScriptLoader {
  readonly #folder: string;
  #packFile: string | undefined;
  readonly #pack: CodePack | undefined;
  readonly #buffer = new ReadBuffer(BUFFER);
  readonly #exports = new Map<string, Exports | Promise<Exports>>();
  /** The scripts that may still be put into the pack. */
  readonly #scripts = new Map<string, Script>();
  #hasNewScripts = false;
  #hasKept = false;
  /** Does something while V8 has the flags of the start: compiled code is good for those alone that it was kept with. */
  withFlagsOfStart: <Result>(work: () => Result) => Result = (work) => work();

  /**
   * @param folder - the scripts' own
   * @param packFile - where their code is kept; nowhere without
   */
  constructor(folder: string, packFile?: string) {
    this.#folder = folder;
    this.#packFile = packFile;
    if (packFile !== undefined) this.#pack = new CodePack(packFile);
  }

  /** Runs a script, once, and gives what it exports. */
  readonly load: Load = Object.assign(
    (name: string): Exports | Promise<Exports> => {
      const before = this.#exports.get(name);
      if (before !== undefined) return before;
      const exports = this.#run(name);
      this.#exports.set(name, exports);
      return exports;
    },
    {
      late: async (name: string): Promise<Exports> => this.load(name),
      module: (specifier: string): Promise<unknown> => import(specifier),
    },
  );

  #run(name: string): Exports | Promise<Exports> {
    const filename = join(this.#folder, name);
    const isKept = this.#packFile !== undefined && NAMED_BY_CONTENT.test(name);
    const source = this.#sourceOf(filename);
    // What V8 takes of it, it has taken when the script is made.
    const cachedData = isKept ? this.#pack?.codeOf(name, this.#buffer.take) : undefined;
    const script = this.withFlagsOfStart(
      () => new Script(source, cachedData === undefined ? { filename } : { filename, cachedData }),
    );
    if (isKept) {
      this.#hasNewScripts ||= cachedData === undefined || script.cachedDataRejected === true;
      this.#scripts.set(name, script);
    }
    const run = script.runInThisContext() as ScriptFunction;
    return run(this.load, { url: pathToFileURL(filename).href });
  }

  /** @throws in words for people where it is gone: scripts that ran already are of a program that was there */
  #sourceOf(filename: string): string {
    try {
      return this.#read(filename);
    } catch (cause) {
      const isGone = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
      if (!isGone || this.#exports.size === 0) throw cause;
      const message = `The installed program was replaced while it ran, and ${basename(filename)} is gone. Start the agent anew.`;
      throw new Error(message, { cause });
    }
  }

  /** Reads a script, which has characters of one byte only. */
  #read(filename: string): string {
    const descriptor = openSync(filename, "r");
    try {
      const bytes = this.#buffer.take(fstatSync(descriptor).size);
      return bytes.toString("latin1", 0, fill(descriptor, bytes, 0));
    } finally {
      closeSync(descriptor);
    }
  }

  /** Whether it has kept something, or seen that there is enough. */
  get hasKept(): boolean {
    return this.#hasKept;
  }

  /**
   * Keeps what is compiled by now, when that is of use to later processes.
   *
   * @param isEnd - the process ends, and nothing can be waited for beside it
   */
  keep({ isEnd = false }: { readonly isEnd?: boolean } = {}): void {
    if (this.#packFile === undefined || this.#scripts.size === 0) return;
    this.#hasKept = true;
    const enough = this.#hasNewScripts ? MOST_SAVES : ENOUGH_SAVES;
    if (!this.#hasNewScripts && (this.#pack?.saves ?? 0) >= enough) return;
    this.#hasNewScripts = false;
    const newest = new CodePack(this.#packFile);
    try {
      const names = newest.names.filter((name) => existsSync(join(this.#folder, name)));
      // Another build begins to count anew: a checkout is built more often than that, and an installation updated.
      const saves = names.length < newest.names.length ? 0 : newest.saves;
      if (saves >= enough) return;
      const content = { saves: saves + 1, codes: this.#codesWith(newest, names) };
      if (isEnd) replaceCodePack(this.#packFile, content);
      else replaceCodePackLater(this.#packFile, content).catch(() => undefined);
    } catch {
      // Where nothing can be kept, each start compiles for itself.
    } finally {
      newest.close();
    }
  }

  /** Keeps it for the last time: scripts that are loaded later are neither looked up nor kept. */
  keepLast(): void {
    this.keep();
    this.#packFile = undefined;
    this.#pack?.close();
    this.#scripts.clear();
  }

  /** @param names - the scripts of the pack that another build has not left there */
  #codesWith(newest: CodePack, names: readonly string[]): ReadonlyMap<string, Buffer> {
    const codes = new Map<string, Buffer>();
    for (const name of names) {
      const code = this.#scripts.has(name) ? undefined : newest.codeOf(name);
      if (code !== undefined) codes.set(name, code);
    }
    this.withFlagsOfStart(() => {
      for (const [name, script] of this.#scripts) codes.set(name, script.createCachedData());
    });
    return codes;
  }
}
