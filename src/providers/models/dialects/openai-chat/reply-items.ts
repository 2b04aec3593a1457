import type { ReplyItems } from "../../../../core/index.ts";
import { isJsonObject } from "../../../../shared/json/json.ts";

const CHAT_ITEMS = "openai-chat";

/** The data of a reply that its endpoint wants back beside text and calls. */
export interface KeptItems {
  /** The field in which it sent its reasoning, and wants it back within a round of tools. */
  readonly reasoningField?: string;
  /** Reasoning in blocks of which some are signed or encrypted. */
  readonly reasoningDetails?: readonly unknown[];
  /** Beside each call, by the calls' order; holes where nothing came. */
  readonly callExtras?: readonly unknown[];
}

/** Makes the items of a reply; `undefined` when there is nothing to keep. */
export function toReplyItems(kept: KeptItems, reader: string): ReplyItems | undefined {
  return Object.keys(kept).length === 0 ? undefined : { dialect: CHAT_ITEMS, model: reader, items: [kept] };
}

/** Reads a reply's items, if this dialect and this model made them. */
export function keptItems(items: ReplyItems | undefined, reader: string | undefined): KeptItems {
  const [kept] = items?.dialect === CHAT_ITEMS && items.model === reader ? items.items : [];
  // Only `toReplyItems` makes items of this dialect.
  return isJsonObject(kept) ? kept : {};
}

type Block = Readonly<Record<string, unknown>>;

/** Assembler of the blocks of `reasoning_details` from the pieces of a stream: one per index and type. */
export class ReasoningBlocks {
  readonly #blocks: { readonly key: string; block: Block }[] = [];

  accept(pieces: unknown): void {
    if (!Array.isArray(pieces)) return;
    for (const piece of pieces) {
      if (!isJsonObject(piece)) continue;
      const key = JSON.stringify([piece["index"], piece["type"], piece["id"]]);
      const known = this.#blocks.findLast((entry) => entry.key === key);
      if (known === undefined) this.#blocks.push({ key, block: piece });
      else known.block = joined(known.block, piece);
    }
  }

  /** All blocks when some can only be sent back as they are; readable ones alone are kept as text already. */
  opaque(): readonly Block[] | undefined {
    const blocks = this.#blocks.map(({ block }) => block);
    return blocks.some((block) => Boolean(block["signature"] ?? block["data"])) ? blocks : undefined;
  }
}

const GROWING = ["text", "summary"];

function joined(block: Block, piece: Block): Block {
  const news = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  const grown = news.map(([key, value]) => {
    const before = block[key];
    return GROWING.includes(key) && typeof before === "string" ? [key, before + String(value)] : [key, value];
  });
  return { ...block, ...Object.fromEntries(grown) };
}

/** The readable text in `reasoning_details`. */
export function textOfDetails(pieces: unknown): string {
  if (!Array.isArray(pieces)) return "";
  return pieces
    .filter(isJsonObject)
    .map((piece) => piece["text"] ?? piece["summary"])
    .filter((text) => typeof text === "string")
    .join("");
}
