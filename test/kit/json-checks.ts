/** What the strict judges of request bodies have in common. */
export type Json = Record<string, unknown>;

/** Takes note of something that is wrong, and where. */
export type Complain = (where: string, what: string) => void;

export const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** A text that holds a JSON object. */
export function isObjectText(text: unknown): boolean {
  try {
    return typeof text === "string" && isObject(JSON.parse(text));
  } catch {
    // That is the answer.
    return false;
  }
}

const BASE64 = /^[A-Za-z0-9+/]+=*$/;

export const isBase64 = (value: unknown): boolean => typeof value === "string" && BASE64.test(value);

/** A `data:` address of an image in one of the formats that everybody takes. */
export function isImageUrl(url: unknown): boolean {
  const [, base64] =
    typeof url === "string" ? (/^data:image\/(?:png|jpeg|gif|webp);base64,(.*)$/s.exec(url) ?? []) : [];
  return isBase64(base64);
}

/** Complains of fields that are not known. */
export function checkKeys(body: Json, known: readonly string[], complain: (what: string) => void): void {
  for (const key of Object.keys(body)) if (!known.includes(key)) complain(`unknown field ${key}`);
}

/** Complains of a tool's name, description and schema, whatever their keys are called in a dialect. */
export function checkTool(
  tool: { readonly name: unknown; readonly description: unknown; readonly schema: unknown },
  names: Set<unknown>,
  complain: (what: string) => void,
): void {
  if (typeof tool.name !== "string" || !NAME.test(tool.name)) complain("illegal name");
  if (names.has(tool.name)) complain("name used twice");
  if (typeof tool.description !== "string") complain("no description");
  if (!isObject(tool.schema) || tool.schema["type"] !== "object") complain("parameters are no object schema");
  names.add(tool.name);
}
