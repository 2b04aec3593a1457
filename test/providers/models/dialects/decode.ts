import { toHostError } from "../../../../src/shared/errors/host-error.ts";
import type { ModelPart } from "../../../../src/core/ports/model.ts";
import { BodyDecoder } from "../../../../src/providers/models/stream/body-decoder.ts";
import type { ReplyDecoder } from "../../../../src/providers/models/reply/reply-decoder.ts";
import type { ReplyContext } from "../../../../src/providers/models/reply/reply-decoder.ts";
import { ResponseTooLarge } from "../../../../src/providers/models/errors/response-too-large.ts";
import type { Outcome } from "../../../kit/model-parts.ts";

/** Somebody who answers, with ids of his own: `own_1`, `own_2` and so on. */
export function context(): ReplyContext {
  const ids = { next: 0 };
  return {
    identity: {
      provider: "local",
      model: "test-model",
      host: "localhost:1",
      keyRemedy: "Check the key.",
      secrets: [],
    },
    reader: "local:test-model",
    newId: () => `own_${(ids.next += 1)}`,
  };
}

/** Decodes the body of a good answer without a server; what is no HostError fails the test. */
export function decode(reply: ReplyDecoder, reads: readonly (string | Uint8Array)[]): Outcome {
  const answer = new BodyDecoder();
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
    if (thrown instanceof ResponseTooLarge || thrown instanceof SyntaxError)
      return { parts, error: toHostError(thrown) };
    const error = toHostError(thrown);
    if (error.code === "internal") throw thrown;
    return { parts, error };
  }
}
