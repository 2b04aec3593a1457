import { Command, InvalidArgumentError, Option } from "commander";
import type { Io } from "../app/process/io.ts";
import { defined } from "../shared/json/defined.ts";

/** An argument or an option of a command, and the type of what the command gets. */
export interface CommandInput<Value> {
  readonly kind: "argument" | "option";
  /** Adds it to a command, under the name by which the command gets it. */
  readonly declare: (command: Command, name: string) => unknown;
  /** For the types alone; it is never there. */
  readonly type?: readonly [Value];
}

type Inputs = Readonly<Record<string, CommandInput<unknown>>>;
type ValueOf<I> = I extends CommandInput<infer Value> ? Value : never;

/** The values of a command's inputs, as one object. An input that is not given is an absent key. */
export type Values<I> = {
  readonly [K in keyof I as undefined extends ValueOf<I[K]> ? never : K]: ValueOf<I[K]>;
} & {
  readonly [K in keyof I as undefined extends ValueOf<I[K]> ? K : never]?: Exclude<ValueOf<I[K]>, undefined>;
};

/** The value of an argument, by its form: `<id>`, `[id]`, `<id...>` or `[id...]`. */
type ArgumentValue<Form> = Form extends `${string}...${string}`
  ? readonly string[]
  : Form extends `<${string}`
    ? string
    : string | undefined;

/** An argument: its form, such as `<id>`, and what help says of it. */
export const argument = <const Form extends string>(
  form: Form,
  about = "",
): CommandInput<ArgumentValue<Form>> => ({
  kind: "argument",
  declare: (command) => command.argument(form, about),
});

/** The parts of an option that most options do without. */
interface OptionParts<Value> {
  /** One letter. */
  readonly short?: string;
  /** The only values that it takes. */
  readonly choices?: readonly Value[];
  /** Reads a value; `before` is that of the same option given earlier. */
  readonly read?: (text: string, before: Value | undefined) => Value;
}

/** An option with a value: the form of the value, such as `<id>`, and what help says of it. */
export function option<const Value>(
  form: string,
  about: string,
  parts: OptionParts<Value> & { readonly otherwise: Value },
): CommandInput<Value>;
export function option(form: string, about: string): CommandInput<string | undefined>;
export function option<const Value>(
  form: string,
  about: string,
  parts: OptionParts<Value>,
): CommandInput<Value | undefined>;
export function option(form: string, about: string, parts: OptionParts<unknown> = {}): CommandInput<never> {
  return declareOption(` ${form}`, about, parts);
}

/** An option whose value may be left out: then it is `true`. */
export const optionalValue = (
  form: string,
  about: string,
  short?: string,
): CommandInput<string | true | undefined> => declareOption(` ${form}`, about, defined({ short }));

/** An option without a value. Help does not name its default. */
export const flag = (about: string, short?: string): CommandInput<boolean | undefined> =>
  declareOption("", about, defined({ short }));

/** The same; help names its default, which is `false`. */
export const flagOff = (about: string, short?: string): CommandInput<boolean> =>
  declareOption("", about, { otherwise: false, ...defined({ short }) });

/** An option `--no-…` that switches something off. */
export const negation = (about: string): CommandInput<boolean> => ({
  kind: "option",
  declare: (command, name) => command.option(`--no-${name}`, about),
});

/** `--mode`: what runs without asking, in this session. */
export const MODE_OPTION = option("<mode>", "what runs without asking in this session", {
  choices: ["ask", "edits", "plan", "all"],
});

/** `--set`: overrides of the configuration, which reach the command as part of its process. */
export const SET_OPTION = option(
  "<key=value>",
  "a setting of config.yaml, for this process alone; may be given several times",
  { read: several },
);

/** `--json`, as all commands have it that print lists. */
export const JSON_FLAG = flagOff("print JSON");

function declareOption<Value>(
  form: string,
  about: string,
  { short, choices, read, otherwise }: OptionParts<Value> & { readonly otherwise?: Value },
): CommandInput<never> {
  return {
    kind: "option",
    declare(command, name) {
      const long = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}${form}`;
      const made = new Option(short === undefined ? long : `-${short}, ${long}`, about);
      if (choices !== undefined) made.choices(choices.map(String));
      if (read !== undefined) made.argParser<Value>(read);
      if (otherwise !== undefined) made.default(otherwise);
      return command.addOption(made);
    },
  };
}

/** Reads a whole number that is not negative. */
export const number = (text: string): number => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError("It must be a whole number.");
  return value;
};

/** Reads a whole number of at least 1. */
export const positive = (text: string): number => {
  const value = number(text);
  if (value === 0) throw new InvalidArgumentError("It must be at least 1.");
  return value;
};

/** Reads an amount of money, with or without cents. */
export const amount = (text: string): number => {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError("It must be an amount such as 2 or 0.50.");
  return Number(text);
};

/** Reads a value that must not be empty, as an unset variable of a script would be. */
export const notEmpty = (text: string): string => {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
};

/** Collects the values of an option that may be given several times. */
export function several(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The code of a command. It takes the values of the inputs and gives the exit code, unless that is 0. */
type Action<I> = (io: Io, values: Values<I>) => Promise<number | void>;

/** A runner of the action that the parser has chosen. */
export type Start = (action: (io: Io) => Promise<number | void>) => Promise<void>;

/** A command of the program, as it is declared in its folder. */
export interface CommandDeclaration {
  readonly name: string;
  /** Makes the command for the parser; `made` is one that has options already. */
  readonly make: (start: Start, made?: Command) => Command;
}

/** The parts of a command. */
interface CommandParts<I> {
  readonly aliases?: readonly string[];
  /** Arguments, in their order, and options. */
  readonly takes?: I;
  /** More text for its help. */
  readonly help?: string;
  /** Loads the code of the command, which happens only when it runs. */
  readonly load: () => Promise<Action<I>>;
}

/** Declares a command: its name, what help says of it, what it takes and what it runs. */
export function command<const I extends Inputs = Record<string, never>>(
  name: string,
  about: string,
  { aliases = [], takes, help, load }: CommandParts<I>,
): CommandDeclaration {
  return {
    name,
    make(start, made = new Command(name)) {
      made.description(about).aliases(aliases);
      const inputs = Object.entries<CommandInput<unknown>>(takes ?? {});
      for (const [key, input] of inputs) input.declare(made, key);
      if (help !== undefined) made.addHelpText("after", `\n${help}`);
      const names = inputs.flatMap(([key, { kind }]) => (kind === "argument" ? [key] : []));
      return made.action((...given: readonly unknown[]) => {
        // The parser hands over the arguments, then the options, checked against their declarations, then itself.
        const values = Object.fromEntries(names.map((key, place) => [key, given[place]]));
        const all = { ...(given.at(-2) as object), ...defined(values) } as Values<I>;
        return start(async (io) => await (await load())({ ...io, ...overridesIn(all) }, all));
      });
    },
  };
}

/** The overrides among the values of a command. */
const overridesIn = (values: { readonly set?: unknown }): Pick<Io, "set"> =>
  Array.isArray(values.set) ? { set: values.set.map(String) } : {};

/** Declares a command that only has commands of its own; without a word it is `list`, or the first where none is so named. */
export function commandGroup(
  name: string,
  about: string,
  commands: readonly CommandDeclaration[],
): CommandDeclaration {
  const otherwise = commands.find((each) => each.name === "list") ?? commands[0];
  return {
    name,
    make(start, made = new Command(name)) {
      made.description(about);
      for (const each of commands) made.addCommand(each.make(start), { isDefault: each === otherwise });
      return made;
    },
  };
}
