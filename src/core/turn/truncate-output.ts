import { textPart, type ToolContent } from "../events/content.ts";
import type { BlobRef } from "../events/content.ts";
import type { TurnContext } from "./turn-context.ts";

/** Of what is kept, the part from the beginning; errors and results usually stand at the end. */
const HEAD_SHARE = 0.2;

/** Cuts text that is too long for the model's context; the whole is kept as a blob. */
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
  const head = Math.floor(limit * HEAD_SHARE);
  const note = `\n[… ${size - limit} characters left out of ${size} …]\n`;
  const kept = (whole.slice(0, head) + note + whole.slice(-(limit - head))).toWellFormed();
  return { content: [textPart(kept), ...content.filter(({ type }) => type !== "text")], overflow };
}
