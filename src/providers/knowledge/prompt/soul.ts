import { readFileSync } from "node:fs";
import { type Stamp, stampOf } from "../stamp.ts";

const MOST = 20_000;

/** The owner's own words on who the agent is, in a file; read again when it has changed. */
export class Soul {
  readonly #path: string;
  #stamp: Stamp = "";
  #text = "";

  /** @param path - absolute */
  constructor(path: string) {
    this.#path = path;
  }

  /** Empty when there is no such file, or none that can be read. */
  text(): string {
    const stamp = stampOf(this.#path);
    if (stamp !== this.#stamp) {
      this.#text = stamp === "" ? "" : textOf(this.#path);
      this.#stamp = stamp;
    }
    return this.#text;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
      .replace(/^\uFEFF/, "")
      .trim()
      .slice(0, MOST)
      .toWellFormed();
  } catch {
    // The agent has an identity of its own then.
    return "";
  }
}
