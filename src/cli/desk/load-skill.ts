import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent } from "../config/home.ts";

const LARGEST = 100_000;
const NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** Reads skills from a home: `skills/<name>/SKILL.md`. */
export function skillLoader(home: string): (name: string) => Promise<string | undefined> {
  return async (name) => {
    if (!NAME.test(name)) return undefined;
    try {
      return (await readFile(join(home, "skills", name, "SKILL.md"), "utf8"))
        .slice(0, LARGEST)
        .toWellFormed();
    } catch (cause) {
      if (isAbsent(cause)) return undefined;
      throw cause;
    }
  };
}
