import { type Dirent, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";
import { Lru } from "../lru.ts";
import { type Stamp, stampOf } from "../stamp.ts";
import {
  MEMORY_TARGETS,
  type MemoryName,
  type MemoryTarget,
  type MemoryTexts,
  type NamedText,
} from "./memory-texts.ts";

/** The options of a memory in files. */
export interface MemoryFilesOptions {
  /** Absolute. */
  readonly folder: string;
  /** Writes a file as a whole: readers see the old content or the new one. */
  readonly replaceFile: (path: string, text: string) => void;
  /** Does something while no other process does anything under the same lock file. @throws HostError `timeout` */
  readonly underLock: <T>(path: string, work: () => T, signal: AbortSignal) => Promise<T>;
}

/** The name of each text's file. */
export const MEMORY_FILES: Readonly<Record<MemoryTarget, string>> = { memory: "MEMORY.md", user: "USER.md" };
const SCOPE = /^[a-z0-9][a-z0-9_-]*$/;
const LARGEST_FILE = 1_000_000;

/** The memory as Markdown files that people may read and change, a folder for each scope but the owner's. */
export class MemoryFiles implements MemoryTexts {
  readonly #options: MemoryFilesOptions;
  readonly #texts = new Lru<string, { readonly stamp: Stamp; readonly text: string }>(64);

  constructor(options: MemoryFilesOptions) {
    this.#options = options;
  }

  get place(): string {
    return this.#options.folder;
  }

  read(name: MemoryName): Promise<string> {
    return Promise.try(() => this.#text(this.#path(name)));
  }

  async change(name: MemoryName, change: (before: string) => string, signal: AbortSignal): Promise<void> {
    const { folder, replaceFile, underLock } = this.#options;
    const path = this.#path(name);
    mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
    const write = (): void => {
      const before = this.#text(path);
      const text = change(before);
      if (text !== before) replaceFile(path, text);
    };
    await underLock(join(folder, ".lock"), write, signal);
  }

  all(): Promise<readonly NamedText[]> {
    return Promise.try(() =>
      ["", ...this.#scopes()].flatMap((scope) =>
        MEMORY_TARGETS.map((target) => ({
          scope,
          target,
          text: this.#text(this.#path({ scope, target })),
        })),
      ),
    );
  }

  #scopes(): readonly string[] {
    return entriesOf(this.#options.folder)
      .filter((entry) => entry.isDirectory() && SCOPE.test(entry.name))
      .map(({ name }) => name)
      .toSorted();
  }

  #path({ scope, target }: MemoryName): string {
    return join(this.#options.folder, scope, MEMORY_FILES[target]);
  }

  #text(path: string): string {
    const stamp = stampOf(path);
    if (stamp === "") return "";
    const known = this.#texts.get(path);
    if (known?.stamp === stamp) return known.text;
    const bytes = readFileSync(path);
    if (bytes.byteLength > LARGEST_FILE)
      throw new HostError("limit_exceeded", `${path} has more than ${LARGEST_FILE} bytes: shorten it.`);
    const text = bytes
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .toWellFormed();
    this.#texts.set(path, { stamp, text });
    return text;
  }
}

/** What is in a folder; nothing where there is none yet. */
function entriesOf(folder: string): readonly Dirent[] {
  return stampOf(folder) === "" ? [] : readdirSync(folder, { withFileTypes: true });
}
