import type { BlobRef } from "../events/content.ts";
import type { FinishReason, ReplyItems } from "../events/reply.ts";
import type { ModelMessage } from "./model-message.ts";
import type { Usage } from "../events/usage.ts";

/** A JSON schema, as providers take it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as models are told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** A request for one reply of a model. */
export interface ModelRequest {
  readonly system: string;
  /** Legal for every dialect, see `Conversation`. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens?: number;
  /** Reasoning effort in the host's words: none, minimal, low, medium, high, xhigh, max. */
  readonly reasoning?: string;
  /** In the faster tier of a model that has one. */
  readonly fast?: boolean;
  /** The same for every request of a session: lets the provider find its prompt cache. */
  readonly cacheKey: string;
  readonly signal: AbortSignal;
  /** @throws HostError `blob_not_found` */
  loadBlob(blob: BlobRef): Promise<Uint8Array>;
}

/**
 * One step of a reply. A call comes as `call.start`, any number of `call.delta` with pieces of its arguments, and
 * `call.end` with the whole of them, JSON as the model wrote it. `finish` is last, `usage` comes before it if at all.
 * `waiting` says why nothing comes yet; it is no part of the reply.
 */
export type ModelPart =
  | { readonly type: "waiting"; readonly text: string }
  /** A warning about the model for the person, before anything else. */
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "call.start"; readonly id: string; readonly name: string }
  | { readonly type: "call.delta"; readonly id: string; readonly text: string }
  | { readonly type: "call.end"; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly type: "usage"; readonly usage: Omit<Usage, "calls" | "cost"> }
  | {
      readonly type: "finish";
      readonly reason: Exclude<FinishReason, "interrupted" | "error">;
      readonly items?: ReplyItems;
    };

/** The parts of a reply, as they come. */
export interface ModelParts extends AsyncIterable<ModelPart> {
  /**
   * Offers each part in the moment in which it arrives, while the reader waits for the next one; what `take` takes is not
   * yielded. It never throws. Absent: all parts are yielded.
   */
  offerTo?(take: (part: ModelPart) => boolean): void;
}

/** One model of one provider, reached in one dialect. */
export interface Model {
  readonly provider: string;
  readonly name: string;
  /** Tokens of context. */
  readonly contextLength: number;
  readonly vision: boolean;
  /** Its provider answers sooner for more money when asked to. Absent: it has no such tier. */
  readonly hasFastTier?: boolean;
  /**
   * Yields parts as they arrive and `finish` last; adjacent text that arrived together comes as one part. Makes one
   * request and never repeats it; one that is refused for something it can do without is made again without that.
   * Ends early when `signal` aborts.
   *
   * @throws HostError `provider_*` for whatever the endpoint did wrong, with status, retry time and request id
   */
  stream(request: ModelRequest): ModelParts;
  /** Finds out what is to be known before the first request; gives a warning for its owner. Absent: there is nothing. */
  prepare?(signal: AbortSignal): Promise<string | undefined>;
  /** Asked before a failed call is made again; `false`: there were too many of these lately. Absent: always. */
  mayRetry?(): boolean;
}

/** The model that a session asks for; an absent part is the host's default. */
export interface ModelRef {
  readonly provider?: string;
  readonly model?: string;
}

/** A model that can be chosen. */
export interface ModelListing {
  readonly provider: string;
  readonly model: string;
  readonly label?: string;
  readonly contextLength?: number;
  readonly current: boolean;
}

/** The models that the host's owner configured. */
export interface Models {
  /** @throws HostError `model_unknown`, `model_not_configured` or `config_invalid`, with the remedy in words */
  resolve(ref: ModelRef): Model;
  /**
   * Looks whether a model could be asked, as far as that can be told without asking it; absent: it cannot be told.
   *
   * @throws HostError as `resolve` does, and `provider_auth` when there is no key
   */
  ready?(ref: ModelRef): void;
  /** Reads `provider:model` or a bare model name; the part before the first colon counts as provider only when one has that name. */
  parse(text: string): ModelRef;
  /** The provider that is reached at an address; absent or `undefined`: none is configured there. */
  providerAt?(baseUrl: string): string | undefined;
  /** The model to go on with after all of these failed; absent or `undefined`: there is none. */
  fallback?(failed: readonly Model[]): Model | undefined;
  list(signal: AbortSignal): Promise<readonly ModelListing[]>;
  /** US dollars for a call's usage, or `undefined` when its price is not known. */
  price(model: Model, usage: Omit<Usage, "cost">): number | undefined;
}
