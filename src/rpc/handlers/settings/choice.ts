import type { HandlerContext } from "../handler.ts";
import { refuse, type Setting, valueAt } from "./setting.ts";

/** A setting of the configuration file that is one of some words. */
export interface ChoiceOptions {
  readonly key: string;
  /** The place in the file. */
  readonly at: readonly string[];
  readonly words: readonly string[];
  /** Holds while the file says nothing that could be used. */
  readonly usual: string;
  /** Other words for the same. */
  readonly also?: Readonly<Record<string, string>>;
  /** The wish of a client that gives no value. */
  readonly bare: "show" | "next" | "toggle";
  /** The value in the file for a word; the word itself by default. */
  readonly stored?: (word: string) => unknown;
  /** Other changes that go along in the file. */
  readonly along?: readonly (readonly [at: readonly string[], value: unknown])[];
}

/** Words that people use for the same on every setting. */
const ASKS: Readonly<Record<string, ChoiceOptions["bare"]>> = {
  status: "show",
  cycle: "next",
  toggle: "toggle",
};

/** Makes a setting of a choice. */
export function choice(options: ChoiceOptions): Setting {
  const { key, at, words, bare, stored = (word: string) => word, along = [] } = options;
  return {
    get: ({ gateway }) => ({ value: current(options, gateway) }),
    async set(given, { gateway }) {
      const value = given.trim().toLowerCase();
      const ask = value === "" ? bare : words.includes(value) ? undefined : ASKS[value];
      if (ask === "show") return { value: current(options, gateway) };
      const word = ask === undefined ? (options.also?.[value] ?? value) : moved(options, gateway, ask);
      if (!words.includes(word)) refuse(key, given, [...words, ...Object.keys(options.also ?? {})]);
      await gateway.ports.config.change([[at, stored(word)], ...along]);
      return { value: word };
    },
  };
}

function current(
  { at, words, usual, also = {} }: ChoiceOptions,
  { ports }: HandlerContext["gateway"],
): string {
  const value = valueAt(ports.config.values(), at);
  // YAML has its own words for on and off.
  const word = typeof value === "boolean" ? (value ? "on" : "off") : String(value);
  const plain = also[word] ?? word;
  return words.includes(plain) ? plain : usual;
}

function moved(options: ChoiceOptions, gateway: HandlerContext["gateway"], how: "next" | "toggle"): string {
  const { words, also = {}, usual } = options;
  const now = current(options, gateway);
  if (how === "next") return words[(words.indexOf(now) + 1) % words.length] ?? usual;
  return now === "off" ? (also["on"] ?? "on") : "off";
}
