import type { AssistantMessage, ReplyItems, ToolCall } from "../../../core/index.ts";
import { isJsonObject } from "../../../shared/json/json.ts";

/**
 * One piece of a reply in its order: an opaque item as it came, or a mark for the place of its text or of a call.
 * These endpoints take opaque items back only in the places where they gave them.
 */
export type OrderedItem =
  | { readonly kind: "opaque"; readonly item: Readonly<Record<string, unknown>> }
  | { readonly kind: "text"; readonly phase?: string }
  | { readonly kind: "call" };

/** Makes the items of a reply, if there is an opaque one or a phase among them; order alone need not be kept. */
export function toOrderedItems(
  order: readonly OrderedItem[],
  made: { readonly dialect: string; readonly reader: string },
): ReplyItems | undefined {
  const isWorthKeeping = order.some(
    (item) => item.kind === "opaque" || (item.kind === "text" && "phase" in item),
  );
  return isWorthKeeping ? { dialect: made.dialect, model: made.reader, items: order } : undefined;
}

/** Reads the order of a reply, if this dialect and this model made it. */
export function orderedItems(
  items: ReplyItems | undefined,
  { dialect, reader }: { readonly dialect: string; readonly reader: string | undefined },
): readonly OrderedItem[] {
  if (items === undefined || items.dialect !== dialect || items.model !== reader) return [];
  // Only `toOrderedItems` makes items of these dialects.
  return items.items.filter(isOrdered);
}

const isOrdered = (item: unknown): item is OrderedItem =>
  isJsonObject(item) && (item["kind"] !== "opaque" || isJsonObject(item["item"]));

/** The functions that turn the parts of a reply into parts of a message. */
export interface PartMakers<Part> {
  readonly opaque: (item: Readonly<Record<string, unknown>>) => Part;
  readonly text: (text: string, phase: string | undefined) => Part;
  readonly call: (call: ToolCall) => Part;
}

/** Orders the parts of a reply as they came, as far as that is known; otherwise its text, then its calls. */
export function partsInOrder<Part>(
  { text, calls }: AssistantMessage,
  order: readonly OrderedItem[],
  make: PartMakers<Part>,
): readonly Part[] {
  const parts: Part[] = [];
  const waiting = [...calls];
  let unplaced = text.trim() === "" ? undefined : text;
  const placeText = (phase?: string): void => {
    if (unplaced !== undefined) parts.push(make.text(unplaced, phase));
    unplaced = undefined;
  };
  for (const item of order) {
    if (item.kind === "opaque") parts.push(make.opaque(item.item));
    else if (item.kind === "text") placeText(item.phase);
    else {
      // Text stands before the first call, whatever else is known: no dialect takes it after one.
      placeText();
      const call = waiting.shift();
      if (call !== undefined) parts.push(make.call(call));
    }
  }
  placeText();
  return [...parts, ...waiting.map(make.call)];
}
