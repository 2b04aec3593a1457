/** A JSON Schema, as far as the protocol's own one uses the language. */
export type Schema = Readonly<Record<string, unknown>>;

/** Words of a schema that say nothing about a value. */
const IDLE = new Set([
  "$schema",
  "$defs",
  "$comment",
  "title",
  "description",
  "default",
  "discriminator",
  "format",
  "examples",
  "deprecated",
]);

/**
 * Checks values against schemas that name each other. Words that it does not know are an error, so that nothing is skipped.
 * A key that may be left out must not be null: clients in languages with a null of their own take that for a value.
 */
export class SchemaChecker {
  readonly #root: Schema;

  constructor(root: Schema) {
    this.#root = root;
  }

  /** Lists the problems with a value, each with its path; none when the value is as the definition says. */
  problems(value: unknown, definition: string): readonly string[] {
    return this.#check(value, { $ref: `#/$defs/${definition}` }, "");
  }

  #check(value: unknown, schema: unknown, path: string): readonly string[] {
    if (schema === true) return [];
    if (schema === false) return [`${path}: nothing is allowed here`];
    return Object.entries(schema as Schema).flatMap(([word, given]) =>
      this.#word(value, { word, given, schema: schema as Schema, path }),
    );
  }

  #word(
    value: unknown,
    { word, given, schema, path }: { word: string; given: unknown; schema: Schema; path: string },
  ): readonly string[] {
    const fail = (problem: string): readonly string[] => [
      `${path || "/"}: ${problem}: ${JSON.stringify(value)?.slice(0, 200)}`,
    ];
    switch (word) {
      case "$ref":
        return this.#check(value, this.#definition(String(given)), path);
      case "type":
        return [given].flat().some((type) => isOfType(value, String(type)))
          ? []
          : fail(`is no ${[given].flat().join(" or ")}`);
      case "const":
        return value === given ? [] : fail(`is not ${JSON.stringify(given)}`);
      case "enum":
        return (given as unknown[]).includes(value) ? [] : fail("is none of the values");
      case "properties":
        return isRecord(value)
          ? Object.entries(given as Schema).flatMap(([key, part]) =>
              Object.hasOwn(value, key)
                ? [
                    ...this.#check(value[key], part, `${path}/${key}`),
                    ...nulls(key, value[key], { required: schema["required"], path }),
                  ]
                : [],
            )
          : [];
      case "required":
        return isRecord(value)
          ? (given as string[]).flatMap((key) => (Object.hasOwn(value, key) ? [] : fail(`has no ${key}`)))
          : [];
      case "unevaluatedProperties":
        if (given !== true) throw new Error("The schema closes an object in a way that is not checked.");
        return [];
      case "additionalProperties":
        return isRecord(value)
          ? Object.entries(value).flatMap(([key, part]) =>
              Object.hasOwn((schema["properties"] ?? {}) as Schema, key)
                ? []
                : this.#check(part, given, `${path}/${key}`),
            )
          : [];
      case "items":
        return Array.isArray(value)
          ? value.flatMap((part, at) => this.#check(part, given, `${path}/${at}`))
          : [];
      case "minimum":
        return typeof value !== "number" || value >= Number(given) ? [] : fail("is too small");
      case "maximum":
        return typeof value !== "number" || value <= Number(given) ? [] : fail("is too large");
      case "pattern":
        return typeof value !== "string" || new RegExp(String(given), "u").test(value)
          ? []
          : fail("is written otherwise");
      case "minItems":
        return !Array.isArray(value) || value.length >= Number(given) ? [] : fail("has too few entries");
      case "contentEncoding":
        return Buffer.from(String(value), String(given) as "base64").toString("base64") === value
          ? []
          : fail(`is no ${String(given)}`);
      case "minLength":
        return typeof value !== "string" || value.length >= Number(given) ? [] : fail("is too short");
      case "allOf":
        return (given as unknown[]).flatMap((part) => this.#check(value, part, path));
      case "not":
        return this.#check(value, given, path).length > 0 ? [] : fail("is what it must not be");
      case "anyOf":
      case "oneOf": {
        const all = (given as unknown[]).map((part) => this.#check(value, part, path));
        return all.some((problems) => problems.length === 0)
          ? []
          : (all.toSorted((a, b) => depthOf(b) - depthOf(a))[0] ?? []);
      }
      default:
        if (IDLE.has(word) || word.startsWith("x-")) return [];
        throw new Error(`The schema uses a word that is not checked: ${word}`);
    }
  }

  #definition(reference: string): unknown {
    return reference
      .replace(/^#\//, "")
      .split("/")
      .reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), this.#root);
  }
}

/** The keys whose null means something: it takes back what was told before. */
const CLEARING = new Set(["/update/title"]);

function nulls(
  key: string,
  value: unknown,
  { required, path }: { required: unknown; path: string },
): readonly string[] {
  const at = `${path}/${key}`;
  if (key === "_meta") return nullsWithin(value, at);
  const mayBeNull = value !== null || (required as string[] | undefined)?.includes(key) === true;
  return mayBeNull || CLEARING.has(at) ? [] : [`${at}: is null and could be left out`];
}

/** Lists the nulls in a value that no schema describes. */
export function nullsWithin(value: unknown, path: string): readonly string[] {
  if (value === null) return [`${path}: is null and could be left out`];
  return typeof value === "object"
    ? Object.entries(value).flatMap(([key, part]) => nullsWithin(part, `${path}/${key}`))
    : [];
}

/** The complaint that went deepest into the value is the one of the branch that was meant. */
const depthOf = (problems: readonly string[]): number =>
  Math.max(0, ...problems.map((problem) => problem.slice(0, problem.indexOf(":")).split("/").length));

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}
