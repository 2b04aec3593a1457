import { HostError } from "../errors/host-error.ts";

const DEEPEST = 64;

/**
 * Parses JSON that came from outside: nesting is bounded, and `__proto__` keys are dropped.
 *
 * @throws HostError `invalid_params` when it is no JSON, or nested deeper than 64
 */
export function parseForeignJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new HostError("invalid_params", "This is not valid JSON.", { cause });
  }
  return cleanJson(value);
}

/** Reads the same; `undefined` for what is no JSON, or nested too deep. @param source - bytes are UTF-8 */
export function readForeignJson(source: string | Uint8Array): unknown {
  try {
    return parseForeignJson(typeof source === "string" ? source : Buffer.from(source).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Reads an object in the same way; an empty one for anything else. */
export function readForeignObject(source: string | Uint8Array): Record<string, unknown> {
  const value = readForeignJson(source);
  return isJsonObject(value) ? value : {};
}

/** Checks a parsed JSON value the same way; the value itself is changed, not copied. */
export function cleanJson(value: unknown): unknown {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth > DEEPEST)
      throw new HostError("invalid_params", `JSON is nested deeper than ${DEEPEST} levels.`);
    if (!Array.isArray(next.value) && Object.hasOwn(next.value, "__proto__"))
      Reflect.deleteProperty(next.value, "__proto__");
    for (const child of Object.values(next.value)) open.push({ value: child, depth: next.depth + 1 });
  }
  return value;
}

const HALF_A_PAIR = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * JSON text without halves of surrogate pairs, which model endpoints refuse to read.
 *
 * @param json - as `JSON.stringify` wrote it: such halves are all that it writes as `\ud…`
 */
export function wellFormedJson(json: string): string {
  return json.includes("\\ud") ? json.replace(HALF_A_PAIR, "$1\\ufffd") : json;
}

/** Whether a value is an object, and no list. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON with sorted keys: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
