import { type BlobRef, textPart, type ToolContent } from "../events/content.ts";
import type { TurnContext } from "./turn-context.ts";

/** The share of the kept text that is from the beginning: errors and results usually stand at the end. */
const HEAD_SHARE = 0.2;

/** Truncates text that is too long for the model's context; the whole text is kept as a blob. */
export async function truncateOutput(
  { services }: Pick<TurnContext, "services">,
  content: readonly ToolContent[],
): Promise<{ readonly content: readonly ToolContent[]; readonly overflow?: BlobRef }> {
  const limit = services.policy().limits.toolOutput;
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const size = texts.reduce((sum, text) => sum + text.length, 0);
  if (size <= limit) return { content };
  const whole = texts.join("\n");
  const overflow = await services.store.putBlob(new TextEncoder().encode(whole.toWellFormed()));
  const note = `${size - limit} characters left out of ${size}`;
  const kept = cutMiddle(whole, { limit, head: Math.floor(limit * HEAD_SHARE), note });
  return { content: [textPart(kept), ...content.filter(({ type }) => type !== "text")], overflow };
}

/**
 * Cuts the middle out of a text that is longer than `limit` characters.
 *
 * @param options - `head`: characters that are kept from the beginning; `note`: stands where the cut is
 */
export function cutMiddle(
  text: string,
  { limit, head, note }: { readonly limit: number; readonly head: number; readonly note: string },
): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, head)}\n[… ${note} …]\n${text.slice(text.length - limit + head)}`.toWellFormed();
}
