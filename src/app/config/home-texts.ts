import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "../../shared/errors/host-error.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";
import { isAbsent, systemReason } from "./home.ts";
import { underHomeLock } from "./home-lock.ts";

/** The keeper of small texts that commands and servers of a home change, by name; some hold secrets. */
export interface HomeTexts {
  /** Where a text is, for messages. */
  where(name: string): string;
  /** Empty for a text that is not there. @throws HostError `config_invalid` when it cannot be read */
  read(name: string): string;
  /**
   * Changes what is there now, also while other processes do: who reads it meanwhile gets the old text or the new one.
   *
   * @param change - may be called again, on a newer text
   * @throws HostError `config_invalid`, `timeout`; whatever `change` throws, and then nothing is changed
   */
  change(name: string, change: (before: string) => string): Promise<void>;
}

/** The texts of a home as files, for its owner's eyes only. */
export function homeFolder(home: string): HomeTexts {
  const read = (name: string): string => textOf(join(home, name));
  return {
    where: (name) => join(home, name),
    read,
    change: (name, change) =>
      underHomeLock(join(home, name), () => replaceFile(join(home, name), change(read(name)), 0o600)),
  };
}

/** A text of a home that holds JSON. */
export interface HomeFile<T> {
  /** @throws HostError `config_invalid` for a text that cannot be read: nothing is written over it */
  readonly load: () => T;
  /** As `HomeTexts` changes a text. */
  readonly change: (change: (known: T) => T) => Promise<void>;
}

/** @param decode - reads the text; an absent one is empty */
export function homeFile<T>(texts: HomeTexts, name: string, decode: (text: string) => T): HomeFile<T> {
  const decoded = (text: string): T => {
    try {
      return decode(text);
    } catch (cause) {
      throw unreadable(texts.where(name), cause);
    }
  };
  return {
    load: () => decoded(texts.read(name)),
    change: (change) =>
      texts.change(name, (before) => `${JSON.stringify(change(decoded(before)), undefined, 2)}\n`),
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (isAbsent(cause)) return "";
    throw unreadable(path, cause);
  }
}

const unreadable = (where: string, cause: unknown): HostError =>
  new HostError("config_invalid", `Cannot read ${where}: ${systemReason(cause)} Mend or remove it.`, {
    cause,
  });
