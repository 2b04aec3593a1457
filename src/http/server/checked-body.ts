import { z } from "zod";
import type { HttpContext } from "./context.ts";
import { decode } from "./decode.ts";
import { type BodyLimit, readJsonObject } from "./json-body.ts";

/** The size of what a page sends, unless its route takes more. */
export const PAGE_BODY: BodyLimit = {
  maxBodyBytes: 1024 * 1024,
  tooLarge: "This is too large: a page sends 1 MB at most.",
};

/** Reads and checks the body that a page sends. @throws HttpError 400, 413, 415 */
export async function bodyOf<Schema extends z.ZodType>(
  c: HttpContext,
  schema: Schema,
  limit = PAGE_BODY,
): Promise<z.output<Schema>> {
  return decode(schema, await readJsonObject(c, limit, {}));
}

/** The answer of what has none to give. */
export const Done = z.object({ ok: z.literal(true) }).meta({ title: "Done" });
