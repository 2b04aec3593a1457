/** The functions that a chunk of the program is given in place of `import` and `export`. */
export interface ScriptParts {
  /** Gives what another chunk exports, and runs that one first when it is new. */
  readonly load: (name: string) => object;
  /** The same for `import()`: also of a chunk that waits for something before it exports anything. */
  readonly later: (name: string) => Promise<object>;
  /** The same of other packages, which are modules. */
  readonly outside: (name: string) => Promise<object>;
  /** Takes what the chunk exports, before it runs: chunks may load each other in a circle. */
  readonly exports: (own: object) => void;
  /** In place of `import.meta.url`. */
  readonly url: string;
}

/** A chunk of the program, as the build writes it: a function, whose code V8 can keep with all that it has compiled of it. */
export type ChunkScript = (parts: ScriptParts) => Promise<void> | undefined;
