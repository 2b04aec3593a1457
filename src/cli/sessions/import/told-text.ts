import { z } from "zod";
import { badLine } from "./file-lines.ts";

/** A name or an id as every model endpoint takes it. */
export const endpointWord = (given: string): string => given.replaceAll(/[^\w-]/g, "_").slice(0, 128) || "_";

/** The words in the place of a picture that a file does not hold. */
export const missingImage = (name?: string): string =>
  `[An image${name === undefined ? "" : `, ${name},`} was here. It is not in the imported file.]`;

const Blocks = z.array(z.looseObject({ type: z.string(), text: z.string().optional() }));

/** The text of what other programs keep as a text, or as blocks of which some are text. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = Blocks.safeParse(content);
  if (!blocks.success) return "";
  return blocks.data
    .map(({ type, text }) => text ?? (type.endsWith("image") ? missingImage() : ""))
    .filter((part) => part !== "")
    .join("\n");
}

/** Unix milliseconds of a time as other programs write it; 0 for none. @throws HostError `invalid_params` */
export function timeOf(timestamp: string | undefined, line: number): number {
  if (timestamp === undefined) return 0;
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) throw badLine(line, `${JSON.stringify(timestamp.slice(0, 40))} is no time`);
  return at;
}
