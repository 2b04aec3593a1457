import type { FinishReason, ModelPart, ReplyItems } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { ReportedUsage } from "./reported-usage.ts";

/** The reason of a reply that came to an end by itself. */
export type EndReason = Exclude<FinishReason, "interrupted" | "error">;

/** The parts that end a reply: the usage, if it was reported, and the finish with the items to keep. */
export function replyEnd(end: {
  readonly usage: ReportedUsage | undefined;
  readonly reason: EndReason;
  readonly items: ReplyItems | undefined;
}): readonly ModelPart[] {
  const { usage, reason, items } = end;
  const finish: ModelPart = { type: "finish", reason, ...defined({ items }) };
  return usage === undefined ? [finish] : [{ type: "usage", usage }, finish];
}
