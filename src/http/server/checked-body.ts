import { z } from "zod";
import type { HttpContext } from "./context.ts";
import { decode } from "./decode.ts";
import { readJsonObject } from "./json-body.ts";

/** Bytes of the largest body that a page sends, unless its route takes more. */
export const MOST_BODY_BYTES = 1024 * 1024;

/** Reads and checks the body that a page sends. @throws HttpError 400, 413, 415 */
export async function bodyOf<Schema extends z.ZodType>(
  c: HttpContext,
  schema: Schema,
  maxBodyBytes = MOST_BODY_BYTES,
): Promise<z.output<Schema>> {
  return decode(schema, await readJsonObject(c, { maxBodyBytes }, {}));
}

/** The answer of what has none to give. */
export const Done = z.object({ ok: z.literal(true) }).meta({ title: "Done" });
