import { type Clock, sleep } from "../../shared/async/clock.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { Pairing, PairingCode } from "../access/pairing.ts";
import type { IncomingMessage } from "../port/incoming.ts";
import type { ChatParts } from "../turns/chat-parts.ts";
import { pairingWords } from "../turns/words.ts";

/** The parts with which strangers are told their codes. */
export interface StrangerCodeParts {
  readonly pairing: Pairing;
  readonly clock: Clock;
  readonly report: (error: HostError) => void;
  /** What goes out goes out by these. */
  readonly opened: () => Promise<Pick<ChatParts, "channel" | "budget">>;
}

/** The teller of pairing codes: one line to each stranger, never in the place of somebody's answer. */
export class StrangerCodes {
  readonly #parts: StrangerCodeParts;
  readonly #signal: AbortSignal;
  /** Codes that wait to be told, and those that were: an event may come with what was known before. */
  readonly #telling = new Set<string>();

  /** @param signal - aborts when nothing goes out any more */
  constructor(parts: StrangerCodeParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Tells a stranger a code as soon as there is a place for it. Never rejects: who is not told is told when they write again. */
  async tell(message: Pick<IncomingMessage, "place">, offered: PairingCode): Promise<void> {
    const { code } = offered;
    if (this.#telling.has(code)) return;
    this.#telling.add(code);
    if (!(await this.#tell(message, offered))) this.#telling.delete(code);
  }

  /** Whether it was told. */
  async #tell({ place }: Pick<IncomingMessage, "place">, offered: PairingCode): Promise<boolean> {
    const { pairing, clock, opened, report } = this.#parts;
    const text = pairingWords(offered.code);
    const message = { place, text, source: text, once: `pair-${offered.code}` };
    try {
      const { channel, budget } = await opened();
      while (!budget.takeSpare(place)) {
        await sleep(clock, budget.spareIn(place), this.#signal);
        if (this.#signal.aborted || clock.now() >= offered.expiresAt) return false;
      }
      await channel.send(message, this.#signal);
      await pairing.noteTold(offered);
      return true;
    } catch (thrown) {
      if (!this.#signal.aborted) report(toHostError(thrown));
      return false;
    }
  }
}
