import { readFileSync } from "node:fs";
import { HostError } from "../../shared/errors/host-error.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";
import { isAbsent, systemReason } from "./home.ts";
import { underHomeLock } from "./home-lock.ts";

/** A JSON file of the home that commands and servers change, for its owner's eyes only. */
export interface HomeFile<T> {
  /** @throws HostError `config_invalid` for a file that cannot be read: nothing is written over it */
  readonly load: () => T;
  /**
   * Changes what is there now, also while other processes do. The file is replaced as a whole: who reads it meanwhile
   * sees the old one or the new one.
   *
   * @throws HostError `config_invalid`, `timeout`; whatever `change` throws, and then nothing is changed
   */
  readonly change: (change: (known: T) => T) => Promise<void>;
}

/** @param decode - reads the file's text; an absent file is an empty one */
export function homeFile<T>(path: string, decode: (text: string) => T): HomeFile<T> {
  const load = (): T => {
    try {
      return decode(textOf(path));
    } catch (cause) {
      throw new HostError(
        "config_invalid",
        `Cannot read ${path}: ${systemReason(cause)} Mend or remove the file.`,
        { cause },
      );
    }
  };
  return {
    load,
    change: (change) =>
      underHomeLock(path, () =>
        replaceFile(path, `${JSON.stringify(change(load()), undefined, 2)}\n`, 0o600),
      ),
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (isAbsent(cause)) return "";
    throw cause;
  }
}
