import { ChatReply } from "../../../../../src/providers/models/dialects/openai-chat/reply.ts";
import type { Outcome } from "../../../../kit/model-parts.ts";
import { context, decode } from "../decode.ts";

/** Decodes the body of a good chat answer without a server. */
export const decodeChat = (...reads: readonly (string | Uint8Array)[]): Outcome =>
  decode(new ChatReply(context()), reads);

/** A stream of these chunks and its end marker. */
export const stream = (...chunks: readonly unknown[]): string =>
  [
    ...chunks.map((chunk) => (typeof chunk === "string" ? chunk : `data: ${JSON.stringify(chunk)}\n\n`)),
    "data: [DONE]\n\n",
  ].join("");

/** A chunk with this delta. */
export const delta = (value: unknown, finish: string | null = null): unknown => ({
  choices: [{ index: 0, delta: value, finish_reason: finish }],
});
