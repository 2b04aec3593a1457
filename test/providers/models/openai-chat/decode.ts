import { toHostError } from "../../../../src/core/errors.ts";
import type { ModelPart } from "../../../../src/core/model.ts";
import { AnswerDecoder } from "../../../../src/providers/models/answer.ts";
import { ChatReply } from "../../../../src/providers/models/openai-chat/reply.ts";
import { TooLarge } from "../../../../src/providers/models/sse.ts";
import type { Outcome } from "../../../kit/model-parts.ts";

const SPEAKER = {
  provider: "local",
  model: "test-model",
  host: "localhost:1",
  keyRemedy: "Check the key.",
  secrets: [],
};

/** Decodes the body of a good answer without a server; what is no HostError fails the test. */
export function decodeChat(...reads: readonly (string | Uint8Array)[]): Outcome {
  const ids = { next: 0 };
  const reply = new ChatReply(SPEAKER, { newId: () => `own_${(ids.next += 1)}` });
  const answer = new AnswerDecoder();
  const parts: ModelPart[] = [];
  const isDone = (): boolean => reply.state === "done";
  try {
    for (const bytes of [...reads.map((read) => Buffer.from(read)), undefined]) {
      if (isDone()) break;
      try {
        for (const piece of bytes === undefined ? answer.end() : answer.push(bytes)) {
          if (isDone()) break;
          if (piece.type === "event") reply.event(piece.event.name, piece.event.data);
          else reply.document(JSON.parse(piece.text));
        }
      } finally {
        parts.push(...reply.take());
      }
    }
    parts.push(...reply.end());
    return { parts };
  } catch (thrown) {
    if (thrown instanceof TooLarge || thrown instanceof SyntaxError)
      return { parts, error: toHostError(thrown) };
    const error = toHostError(thrown);
    if (error.code === "internal") throw thrown;
    return { parts, error };
  }
}

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
