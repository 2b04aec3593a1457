import type { FinishReason, ModelPart, ReplyItems } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { ModelIdentity } from "../errors/model-identity.ts";
import type { ReportedUsage } from "./reported-usage.ts";

/** A decoder of one answer into the parts of a reply. All but `take` throw `HostError` for what breaks the dialect. */
export interface ReplyDecoder {
  /** `open`: more must come. `finishing`: the reply is whole, its end marker or usage may follow. `done`: the rest is not needed. */
  readonly state: "open" | "finishing" | "done";
  event(name: string, data: string): void;
  /** Takes an answer in one piece, parsed. */
  document(value: unknown): void;
  /** Gives the parts that were made since the last call. */
  take(): readonly ModelPart[];
  /** Gives the last parts, `finish` as the very last. Throws when the reply is not whole. */
  end(): readonly ModelPart[];
}

/** The model that answers a call, and the ids for what it leaves without one. */
export interface ReplyContext {
  readonly identity: ModelIdentity;
  /** The mark on what only this model can read, as `EncodingContext` has it. */
  readonly reader: string;
  /** Makes an id for a tool call that comes without one. */
  readonly newId: () => string;
}

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
