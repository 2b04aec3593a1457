import { readFileSync } from "node:fs";
import { type Stamp, stampOf } from "../stamp.ts";

const MOST = 20_000;

/**
 * Makes a reader of the owner's own words on who the agent is; the file is read again when it has changed.
 *
 * @param path - absolute
 * @returns gives nothing when there is no such file, or none that can be read
 */
export function soulReader(path: string): () => string {
  let stamp: Stamp = "";
  let text = "";
  return () => {
    const now = stampOf(path);
    if (now !== stamp) text = now === "" ? "" : textOf(path);
    stamp = now;
    return text;
  };
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
