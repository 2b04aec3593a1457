import type { ParseYaml } from "./front-matter.ts";

const MOST_ALIASES = 20;

/** Reads YAML once it is loaded: many homes have no skills and never need it. */
export class Yaml {
  #parse: ParseYaml | undefined;

  /** `undefined` until it is loaded. */
  get parse(): ParseYaml | undefined {
    return this.#parse;
  }

  async load(): Promise<void> {
    if (this.#parse !== undefined) return;
    const { parse } = await import("yaml");
    this.#parse = (text): unknown => parse(text, { maxAliasCount: MOST_ALIASES, logLevel: "error" });
  }
}
