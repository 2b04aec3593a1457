import type { SessionEvent } from "../../core/index.ts";
import type { HttpContext } from "../server/context.ts";
import type { ApiContext } from "./api-context.ts";
import type { TurnRef } from "./turn-ref.ts";

/** An encoder of a turn's events as frames of an event stream; empty text is no frame. */
export interface TurnEncoder {
  begin?(): string;
  /** Told the turn's id before its first event. */
  begun?(turnId: string): void;
  event(event: SessionEvent): string | Promise<string>;
  /** The last frames of a turn that was read to its end. */
  end?(): string;
  /** The last frames of a turn that cannot be read any more. @param thrown - why */
  failed(thrown: unknown): string;
}

/** The options of a streamed answer. */
export interface StreamTurnOptions {
  readonly ref: TurnRef;
  readonly encoder: TurnEncoder;
  readonly headers?: Readonly<Record<string, string>>;
  /** Stream only what comes after this cursor. */
  readonly from?: number;
}

/** Answers with the events of a turn, as they come. */
export function streamTurn(
  c: HttpContext,
  { streams, turns }: ApiContext,
  { ref, encoder, headers = {}, from = 0 }: StreamTurnOptions,
): Response {
  async function* frames(signal: AbortSignal): AsyncGenerator<string, void> {
    if (encoder.begin !== undefined) yield encoder.begin();
    const begun = (turnId: string): void => encoder.begun?.(turnId);
    // An async generator awaits what it yields: another `await` would cost every word one more turn of the loop.
    for await (const event of turns.events(ref, { signal, from, begun })) yield encoder.event(event);
    if (encoder.end !== undefined && !signal.aborted) yield encoder.end();
  }
  return streams.answer(c, frames, { headers, failed: (thrown) => encoder.failed(thrown) });
}
