import type { ImagePart, ToolResultMessage, UserPart } from "../../../core/index.ts";
import type { Encoding, Shown } from "../dialects/dialect.ts";

/** A piece of a prompt or of a tool's result, as every dialect can say it. */
export type Said =
  | { readonly type: "text"; readonly text: string }
  | ({ readonly type: "image"; readonly detail?: string } & Extract<Shown, { base64: string }>);

/** What stands where nothing was said: endpoints refuse empty messages. */
export const EMPTY = "(empty)";
const NO_OUTPUT = "(no output)";

/** What a prompt says; never empty. */
export function saidInPrompt(parts: readonly UserPart[], encoding: Encoding): readonly Said[] {
  const said = parts.map((part) => saidBy(part, encoding)).filter(isSomething);
  return said.length === 0 ? [{ type: "text", text: EMPTY }] : said;
}

/** What a result says to its model; never empty. What is for people only is left out. */
export function saidInResult({ content }: ToolResultMessage, encoding: Encoding): readonly Said[] {
  const said = content
    .filter((part) => part.type === "text" || part.type === "image")
    .map((part): Said => (part.type === "text" ? part : imageSaid(part, encoding)))
    .filter(isSomething);
  return said.length === 0 ? [{ type: "text", text: NO_OUTPUT }] : said;
}

export const dataUrl = ({ mediaType, base64 }: Extract<Said, { type: "image" }>): string =>
  `data:${mediaType};base64,${base64}`;

const isSomething = (said: Said): boolean => said.type === "image" || said.text.trim() !== "";

function saidBy(part: UserPart, encoding: Encoding): Said {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return imageSaid(part, encoding);
    case "resource": {
      const type = part.mediaType === undefined ? "" : ` type="${part.mediaType}"`;
      return { type: "text", text: `<resource uri="${part.uri}"${type}>\n${part.text}\n</resource>` };
    }
    case "link":
      return { type: "text", text: `[${part.name}](${part.uri})` };
  }
}

const DETAILS = ["auto", "low", "high"];

function imageSaid(image: ImagePart, encoding: Encoding): Said {
  const shown = encoding.image(image);
  if ("note" in shown) return { type: "text", text: shown.note };
  const { detail } = image;
  const isKnown = detail !== undefined && DETAILS.includes(detail);
  return isKnown ? { type: "image", ...shown, detail } : { type: "image", ...shown };
}
