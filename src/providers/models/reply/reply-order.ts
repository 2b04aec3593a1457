import type { AssistantMessage, ReplyItems, ToolCall } from "../../../core/index.ts";
import { isJsonObject } from "../../../shared/json/json.ts";

/**
 * What a reply consists of, in its order: opaque items as they came, and marks where its text and its calls stood.
 * These endpoints take opaque items back only in the places where they gave them.
 */
export type OrderedItem =
  | { readonly kind: "opaque"; readonly item: Readonly<Record<string, unknown>> }
  | { readonly kind: "text"; readonly phase?: string }
  | { readonly kind: "call" };

/** The items of a reply, if there is an opaque one or a phase among them; their order alone need not be kept. */
export function toOrderedItems(
  order: readonly OrderedItem[],
  made: { readonly dialect: string; readonly reader: string },
): ReplyItems | undefined {
  const isWorth = order.some((item) => item.kind === "opaque" || (item.kind === "text" && "phase" in item));
  return isWorth ? { dialect: made.dialect, model: made.reader, items: order } : undefined;
}

/** The order of a reply, if this dialect and this model made it. */
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

/** How the parts of a reply become parts of a message. */
export interface PartMakers<Part> {
  readonly opaque: (item: Readonly<Record<string, unknown>>) => Part;
  readonly text: (text: string, phase: string | undefined) => Part;
  readonly call: (call: ToolCall) => Part;
}

/** The parts of a reply in the order in which they came, as far as that is known; its text, then its calls otherwise. */
export function partsInOrder<Part>(
  { text, calls }: AssistantMessage,
  order: readonly OrderedItem[],
  make: PartMakers<Part>,
): readonly Part[] {
  const parts: Part[] = [];
  const waiting = [...calls];
  let unsaid = text.trim() === "" ? undefined : text;
  const say = (phase?: string): void => {
    if (unsaid !== undefined) parts.push(make.text(unsaid, phase));
    unsaid = undefined;
  };
  for (const item of order) {
    if (item.kind === "opaque") parts.push(make.opaque(item.item));
    else if (item.kind === "text") say(item.phase);
    else {
      // What was said stands before the first call, whatever else is known: no dialect takes it after one.
      say();
      const call = waiting.shift();
      if (call !== undefined) parts.push(make.call(call));
    }
  }
  say();
  return [...parts, ...waiting.map(make.call)];
}
