import type { FinishReason, ModelPart, ReplyItems } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { ModelIdentity } from "../errors/model-identity.ts";
import { PartBuffer } from "./part-buffer.ts";
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

/** The base of a dialect's decoder: the buffer of its parts, and the end of a reply. */
export abstract class DialectReply implements ReplyDecoder {
  state: ReplyDecoder["state"] = "open";
  protected readonly context: ReplyContext;
  protected readonly parts = new PartBuffer();
  protected abstract readonly calls: { readonly count: number; end(): readonly ModelPart[] };

  constructor(context: ReplyContext) {
    this.context = context;
  }

  abstract event(name: string, data: string): void;
  abstract document(value: unknown): void;
  abstract end(): readonly ModelPart[];

  take(): readonly ModelPart[] {
    return this.parts.take();
  }

  protected get isEmpty(): boolean {
    return !this.parts.spoke && this.calls.count === 0;
  }

  /** The error for a reply that ended too early. */
  protected brokenOff(): HostError {
    const { model, host } = this.context.identity;
    const problem = this.isEmpty
      ? "ended its answer before it said anything"
      : "ended its answer in the middle of the reply";
    return new HostError("provider_network", `${model} at ${host} ${problem}. Try again.`);
  }

  /** The parts that end a reply: its calls, the usage, if it was reported, and the finish with the items to keep. */
  protected finish(end: {
    readonly usage: ReportedUsage | undefined;
    readonly reason: EndReason;
    readonly items: ReplyItems | undefined;
  }): readonly ModelPart[] {
    const { usage, reason, items } = end;
    const reported: readonly ModelPart[] = usage === undefined ? [] : [{ type: "usage", usage }];
    return [
      ...this.take(),
      ...this.calls.end(),
      ...reported,
      { type: "finish", reason, ...defined({ items }) },
    ];
  }
}
