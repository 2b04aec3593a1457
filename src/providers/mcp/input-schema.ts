import type { JsonSchema } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { messageOf } from "../../shared/errors/host-error.ts";
import { visibleText } from "./visible-text.ts";

const LARGEST = 64 * 1024;
const DEEPEST = 32;
const LONGEST_DESCRIPTION = 2000;
const TYPES = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** A schema that takes anything: the server judges its own input. */
const ANYTHING: JsonSchema = { type: "object" };

/**
 * A tool's schema as models are told of it. Endpoints refuse a whole request for one schema that is wrong, so that a
 * wrong one is replaced by one that takes anything.
 */
export function inputSchema(given: unknown): { readonly schema: JsonSchema; readonly problem?: string } {
  try {
    const schema = object(given);
    if (schema["type"] !== "object") throw new Error("its type is not object");
    if (JSON.stringify(schema).length > LARGEST) throw new Error("it has more than 64 kB");
    return { schema: copied(schema, 0) };
  } catch (thrown) {
    return { schema: ANYTHING, problem: messageOf(thrown) };
  }
}

type Keyword = (value: unknown, depth: number) => unknown;

const object = (value: unknown): Readonly<Record<string, unknown>> => {
  if (isJsonObject(value)) return value;
  throw new Error("it is no object");
};

const list = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  throw new Error("a list is missing");
};

const schema: Keyword = (value, depth) => (typeof value === "boolean" ? value : copied(object(value), depth));

const schemas: Keyword = (value, depth) => list(value).map((each) => schema(each, depth));

const named: Keyword = (value, depth) =>
  Object.fromEntries(Object.entries(object(value)).map(([name, each]) => [name, schema(each, depth)]));

const text: Keyword = (value) => {
  if (typeof value === "string") return visibleText(value, LONGEST_DESCRIPTION);
  throw new Error("a description is no text");
};

/** Only its form is looked at; it is never run here. */
function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u").unicode;
  } catch {
    return false;
  }
}

/** The keywords whose values endpoints look at; one without a value is left out. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  properties: named,
  patternProperties: named,
  $defs: named,
  definitions: named,
  dependentSchemas: named,
  items: (value, depth) => (Array.isArray(value) ? schemas(value, depth) : schema(value, depth)),
  prefixItems: schemas,
  anyOf: schemas,
  oneOf: schemas,
  allOf: schemas,
  additionalProperties: schema,
  not: schema,
  contains: schema,
  propertyNames: schema,
  title: text,
  description: text,
  type: (value) => {
    const types = [value].flat();
    if (types.length > 0 && types.every((type) => typeof type === "string" && TYPES.has(type))) return value;
    throw new Error(`there is no type ${JSON.stringify(value)?.slice(0, 40)}`);
  },
  required: (value) => {
    if (list(value).every((name) => typeof name === "string")) return value;
    throw new Error("required names something that is no name");
  },
  enum: (value) => {
    if (list(value).length > 0) return value;
    throw new Error("an enum is empty");
  },
  pattern: (value) => (typeof value === "string" && isPattern(value) ? value : undefined),
  $schema: () => undefined,
  $id: () => undefined,
  $ref: (value) => {
    if (typeof value === "string" && value.startsWith("#")) return value;
    throw new Error("it refers to something outside itself");
  },
};

function copied(node: Readonly<Record<string, unknown>>, depth: number): JsonSchema {
  if (depth > DEEPEST) throw new Error("it is nested too deeply");
  const entries = Object.entries(node).map(([key, value]) => {
    const keyword = Object.hasOwn(KEYWORDS, key) ? KEYWORDS[key] : undefined;
    return [key, keyword === undefined ? value : keyword(value, depth + 1)];
  });
  return defined(Object.fromEntries(entries));
}
