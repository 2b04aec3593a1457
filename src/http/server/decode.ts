import { defined } from "../../shared/json/defined.ts";
import { z } from "zod";
import { HttpError } from "./http-error.ts";

const TRUE = new Set(["1", "true", "yes", "on"]);
const FALSE = new Set(["0", "false", "no", "off"]);

/** A switch as clients write it: a boolean, a number, or a word. Anything else is `otherwise`. */
export function switchOf(value: unknown, otherwise: boolean): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  if (typeof value !== "string") return otherwise;
  const word = value.trim().toLowerCase();
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : otherwise;
}

/** A field of a body that is a switch. */
export const Switch = (otherwise: boolean) =>
  z
    .preprocess((value) => switchOf(value, otherwise), z.boolean())
    .meta({ type: "boolean" })
    .prefault(otherwise);

/** Reads a whole number of a query, at most `most`; `otherwise` for anything else. */
export function countOf(
  text: string | undefined,
  bounds: { readonly otherwise: number; readonly most: number },
): number {
  if (text === undefined || !/^\d{1,15}$/.test(text.trim())) return bounds.otherwise;
  return Math.min(Number(text), bounds.most);
}

/** Checks a body; the first thing that is wrong with it is named. @throws HttpError 400 */
export function decode<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = pathText(issue?.path ?? []);
  const named =
    issue?.message.includes("'") === true ? issue.message : `'${param}': ${issue?.message ?? "not valid"}`;
  throw new HttpError(400, named, defined({ param: param || undefined }));
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`,
    "",
  );
}
