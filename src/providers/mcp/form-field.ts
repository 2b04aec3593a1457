import { isJsonObject } from "../../shared/json/json.ts";
import { defined } from "../../shared/json/defined.ts";
import { visibleLine } from "./visible-text.ts";

const LONGEST_WORD = 200;
const LONGEST_HINT = 500;
const LONGEST_ANSWER = 10_000;
const MOST_CHOICES = 50;

type Value = string | number | boolean | string[];
type Schema = Readonly<Record<string, unknown>>;

/** An answer that a field cannot take, with the reason for the person who gave it. */
export class WrongAnswer extends Error {}

/** One thing that a form asks for. */
export interface FormField {
  readonly name: string;
  readonly required: boolean;
  /** The question, in one line, without the form's own words. */
  readonly question: string;
  /** The answers that there are; empty when any text may be one. */
  readonly choices: readonly string[];
  /** @throws WrongAnswer */
  read(text: string): Value;
}

/** A field of a form, of the flat kind that servers may ask for. */
export function formField(name: string, schema: unknown, required: boolean): FormField {
  const given = isJsonObject(schema) ? schema : {};
  const { choices, hint, read } = reader(given);
  const label = words(given["title"]) ?? visibleLine(name, LONGEST_WORD);
  const about = words(given["description"], LONGEST_HINT);
  const notes = [about, hint, required ? undefined : "optional"].filter((note) => note !== undefined);
  return {
    name,
    required,
    question: notes.length === 0 ? label : `${label} (${notes.join("; ")})`,
    choices,
    read,
  };
}

const words = (value: unknown, longest = LONGEST_WORD): string | undefined => {
  const text = typeof value === "string" ? visibleLine(value, longest) : "";
  return text === "" ? undefined : text;
};

interface Reader {
  readonly choices: readonly string[];
  readonly hint?: string;
  readonly read: (text: string) => Value;
}

function reader(schema: Schema): Reader {
  if (schema["type"] === "array")
    return severalOf(optionsOf(isJsonObject(schema["items"]) ? schema["items"] : {}));
  const options = optionsOf(schema);
  if (options.length > 0) return oneOf(options);
  switch (schema["type"]) {
    case "boolean":
      return oneOf([
        { title: "yes", value: true },
        { title: "no", value: false },
      ]);
    case "number":
    case "integer":
      return number(schema);
    default:
      return text(schema);
  }
}

interface Option {
  readonly title: string;
  readonly value: string | boolean;
}

/** The values of an enumeration, in each of the three ways in which it may be written. */
function optionsOf(schema: Schema): readonly Option[] {
  const titled = [schema["oneOf"], schema["anyOf"]].find((each) => Array.isArray(each)) ?? [];
  const names: unknown = schema["enumNames"];
  const plain: unknown = schema["enum"];
  const options = Array.isArray(plain)
    ? plain.map((value: unknown, index) => ({ value, title: Array.isArray(names) ? names[index] : value }))
    : titled.map((each: unknown) =>
        isJsonObject(each) ? { value: each["const"], title: each["title"] ?? each["const"] } : {},
      );
  return options
    .flatMap(({ value, title }: { readonly value?: unknown; readonly title?: unknown }) =>
      typeof value === "string" ? [{ value, title: words(title) ?? visibleLine(value, LONGEST_WORD) }] : [],
    )
    .slice(0, MOST_CHOICES);
}

const oneOf = (options: readonly Option[]): Reader => ({
  choices: options.map(({ title }) => title),
  read: (text) => pick(options, text).value,
});

const severalOf = (options: readonly Option[]): Reader => ({
  choices: [],
  hint: `one or more of ${options.map(({ title }) => title).join(", ")}; with commas between`,
  read: (text) =>
    text
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "")
      .map((word) => String(pick(options, word).value)),
});

function pick(options: readonly Option[], text: string): Option {
  const same = (word: string): boolean => word.toLowerCase() === text.trim().toLowerCase();
  const option = options.find(({ title, value }) => same(title) || same(String(value)));
  if (option !== undefined) return option;
  throw new WrongAnswer(`It must be one of: ${options.map(({ title }) => title).join(", ")}.`);
}

function number({ type, minimum, maximum }: Schema): Reader {
  const isWhole = type === "integer";
  return {
    choices: [],
    hint: isWhole ? "a whole number" : "a number",
    read(text) {
      const value = Number(text.trim());
      if (text.trim() === "" || !Number.isFinite(value) || (isWhole && !Number.isInteger(value)))
        throw new WrongAnswer(`It must be ${isWhole ? "a whole number" : "a number"}.`);
      if (typeof minimum === "number" && value < minimum)
        throw new WrongAnswer(`It must be at least ${minimum}.`);
      if (typeof maximum === "number" && value > maximum)
        throw new WrongAnswer(`It must be at most ${maximum}.`);
      return value;
    },
  };
}

/** Patterns are left to the server: one of its expressions could hold up this process for ever. */
function text({ minLength, maxLength, format }: Schema): Reader {
  const longest = typeof maxLength === "number" ? Math.min(maxLength, LONGEST_ANSWER) : LONGEST_ANSWER;
  const hint = words(format);
  return {
    choices: [],
    ...defined({ hint }),
    read(given) {
      if (given.length > longest) throw new WrongAnswer(`It must have at most ${longest} characters.`);
      if (typeof minLength === "number" && given.length < minLength)
        throw new WrongAnswer(`It must have at least ${minLength} characters.`);
      return given;
    },
  };
}
