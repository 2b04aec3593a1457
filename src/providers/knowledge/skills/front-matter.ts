import { z } from "zod";
import { later } from "../../../shared/memo/later.ts";
import { messageOf } from "../../../shared/errors/host-error.ts";

/** The head of a skill's file. */
export interface FrontMatter {
  readonly name?: string;
  readonly description?: string;
  /** Systems or surfaces that it is for; all when there are none. */
  readonly platforms: readonly string[];
  /** The model is not told of it: it is a command for people only. */
  readonly hidden: boolean;
  /** It is no command. */
  readonly commandless: boolean;
  /** Names of variables that its commands need. */
  readonly requires: readonly string[];
}

/** A skill's file, taken apart. */
export interface SkillText {
  readonly head: FrontMatter;
  /** What comes after the front matter. */
  readonly body: string;
  /** What is wrong with the front matter, in words. */
  readonly problem?: string;
}

/** Reads YAML; throws what is wrong with it. */
export type ParseYaml = (text: string) => unknown;

const LONGEST_HEAD = 16_384;
const NOTHING: FrontMatter = { platforms: [], hidden: false, commandless: false, requires: [] };

/** Numbers and the like are words where a word is wanted. */
const word = () => z.union([z.string(), z.number(), z.boolean()], "it must be text").transform(String);
const words = () =>
  z.union([z.array(word()), word().transform((text) => text.split(","))], "it must be a list of names");
/** A variable that is required, by its name alone or with more about it. */
const variables = () =>
  z.array(z.union([word(), z.looseObject({ name: word() }).transform(({ name }) => name)]), {
    error: "it must be a list of names of variables",
  });
const headWire = later(() =>
  z.looseObject({
    name: word().nullish(),
    description: word().nullish(),
    platforms: words().nullish(),
    "disable-model-invocation": z.boolean().nullish(),
    "user-invocable": z.boolean().nullish(),
    required_environment_variables: variables().nullish(),
  }),
);

/** Takes a skill's text apart. Never throws: what cannot be used is a problem, and the rest counts. */
export function readSkillText(text: string, parse: ParseYaml): SkillText {
  const match = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/.exec(text);
  if (match === null) {
    const problem = text.trimStart().startsWith("---")
      ? "the front matter has no closing ---"
      : "it has no front matter (name and description between two lines ---)";
    return { head: NOTHING, body: text, problem };
  }
  const [whole, yaml = ""] = match;
  const body = text.slice(whole.length);
  if (yaml.length > LONGEST_HEAD)
    return { head: NOTHING, body, problem: `the front matter has more than ${LONGEST_HEAD} characters` };
  try {
    return { head: headOf(parse(yaml) ?? {}), body };
  } catch (thrown) {
    return { head: NOTHING, body, problem: `the front matter cannot be used: ${problemOf(thrown)}` };
  }
}

function headOf(values: unknown): FrontMatter {
  const wire = headWire().parse(values);
  const { name, description, platforms } = wire;
  return {
    ...(name == null ? {} : { name: name.trim() }),
    ...(description == null ? {} : { description }),
    platforms: (platforms ?? []).map((each) => each.trim().toLowerCase()).filter((each) => each !== ""),
    hidden: wire["disable-model-invocation"] ?? false,
    commandless: wire["user-invocable"] === false,
    requires: (wire.required_environment_variables ?? []).map((each) => each.trim()),
  };
}

function problemOf(thrown: unknown): string {
  if (thrown instanceof z.ZodError) {
    const [issue] = thrown.issues;
    return `${issue?.path.join(".") || "it"}: ${issue?.message ?? "not valid"}`;
  }
  const [line = ""] = messageOf(thrown).split("\n");
  return line;
}
