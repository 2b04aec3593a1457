import type { SessionEvent } from "../../../src/core/index.ts";
import type { QuestionAnswer, Session } from "../../../src/core/session.ts";
import type { Turn } from "../../../src/core/session/turn-handle.ts";
import type { Submission } from "../../../src/core/session/submission.ts";
import { seenEvent, answeredBy, type Recorder } from "./recorder.ts";

/** A client of one host, which records what it asks for, and what it is told and shown. */
export class RecordedClient {
  readonly #recorder: Recorder;
  readonly #host: string;

  constructor(recorder: Recorder, host: string) {
    this.#recorder = recorder;
    this.#host = host;
  }

  /** Sends a prompt, and resolves when nothing more will be heard of it. Never rejects. */
  async submit(session: Session, submission: Submission & { readonly id: string }): Promise<void> {
    await this.follow(session.id, session.submit(submission));
  }

  /** Waits for a prompt that was sent, as `submit` does. */
  async follow(session: string, turn: Turn): Promise<void> {
    const about = { host: this.#host, session, promptId: turn.promptId };
    // It stays so when the host is gone before it answers.
    this.#recorder.add({ ...about, type: "prompt", answered: "unknown" });
    try {
      await turn.accepted;
      this.#recorder.add({ ...about, type: "prompt", answered: "accepted" });
    } catch (thrown) {
      this.#recorder.add({ ...about, type: "prompt", answered: answeredBy(thrown) });
      return;
    }
    try {
      const { turnId, outcome, text, error } = await turn.result;
      // A host that cannot save the end of a turn says so: what the log will say is open.
      if (error?.code.startsWith("store_") === true) return;
      this.#recorder.add({ ...about, type: "result", turnId, outcome, text });
    } catch {
      // The host was closed, or cannot read what was said.
    }
  }

  /** Answers a question. Never rejects. */
  async answer(session: Session, requestId: string, answer: QuestionAnswer): Promise<void> {
    const about = { type: "answer", host: this.#host, session: session.id, requestId } as const;
    try {
      const from = { surface: "library", client: this.#host };
      const resolution = await session.answer(requestId, answer, from);
      this.#recorder.add({ ...about, answered: "accepted", resolution });
    } catch (thrown) {
      this.#recorder.add({ ...about, answered: answeredBy(thrown) });
    }
  }

  /**
   * Reads a session from a cursor on until the signal aborts, or the reading fails.
   *
   * @param options - `reader` is the same for all hosts that it reads at, one after the other; `shown` hears of each event
   */
  async read(
    session: Session,
    options: {
      readonly reader: string;
      readonly after: number;
      readonly follow?: boolean;
      readonly signal: AbortSignal;
      readonly shown: (event: SessionEvent) => void;
    },
  ): Promise<void> {
    const { reader, signal, shown, follow = true } = options;
    let { after } = options;
    for await (const event of session.events({ after, signal, follow })) {
      if (signal.aborted) return;
      const seen = seenEvent(event);
      if (seen === undefined) continue;
      const about = { type: "read", host: this.#host, session: session.id, reader } as const;
      this.#recorder.add({ ...about, after, at: this.#recorder.now(), events: [seen] });
      after = event.seq;
      shown(event);
    }
  }
}
