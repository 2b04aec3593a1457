import { noteCaller } from "../../shared/errors/caller-frames.ts";
import type { SessionEvent } from "../events/events.ts";
import type { Accepted } from "./prompt-operations.ts";
import type { ReadOptions } from "../log/reader.ts";
import type { TurnResult } from "./turn-waiters.ts";

/** A reading of a session's events. */
export type Events = (options: ReadOptions) => AsyncGenerator<SessionEvent, void>;

/** A prompt on its way: read its events, or leave that out and wait for the result. */
export class Turn implements AsyncIterable<SessionEvent> {
  readonly promptId: string;
  /** Resolves when the prompt is in the log; rejects when it was not taken. */
  readonly accepted: Promise<Accepted>;
  /** The end of the turn; rejects only when the prompt was not taken or the host was closed. */
  readonly result: Promise<TurnResult>;
  readonly #events: Events;

  constructor(promptId: string, { accepted, result }: Pick<Turn, "accepted" | "result">, events: Events) {
    this.promptId = promptId;
    const named = noteCaller();
    const refuse = (thrown: unknown): never => {
      throw named(thrown);
    };
    this.accepted = accepted.catch(refuse);
    this.result = result.catch(refuse);
    this.#events = events;
    // A caller that only reads events, or only waits, learns of a refusal there.
    this.accepted.catch(() => undefined);
    this.result.catch(() => undefined);
  }

  /** The turn's events from its `turn.start` to its `turn.end`, as they come. */
  async *[Symbol.asyncIterator](): AsyncGenerator<SessionEvent, void> {
    const { after, status } = await this.accepted;
    let mine = status === "steered";
    for await (const event of this.#events({ after })) {
      if (event.type === "turn.start") mine ||= event.prompt.id === this.promptId;
      if (mine) yield event;
      if (mine && event.type === "turn.end") return;
      if (event.type === "prompt.dropped" && event.promptIds.includes(this.promptId)) return;
    }
  }
}
