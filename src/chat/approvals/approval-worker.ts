import { createHash } from "node:crypto";
import type { Resolution, Session } from "../../core/index.ts";
import { sleep } from "../../shared/async/clock.ts";
import { PollingWorker } from "../../shared/async/polling-worker.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { SentPart } from "../inbox/entry.ts";
import type { ChatPlace } from "../port/place.ts";
import { cardMessage, changeCard } from "../turns/card-message.ts";
import type { ChatParts } from "../turns/chat-parts.ts";
import { decidedWords, OVER_WORDS } from "../turns/question-card.ts";
import { sessionIfThere } from "../turns/session-if-there.ts";
import type { ApprovalCard, ApprovalCards } from "./approval-cards.ts";
import { approvalsOfAll } from "./open-approvals.ts";
import { answerHint } from "./pending-approvals.ts";

/** Milliseconds between two looks for approvals that no chat of this process has asked for. */
const TICK_MS = 2000;
/** Approvals that one process shows and follows at a time. */
const MOST_SHOWN = 1000;
/** Milliseconds between two tries to show one. */
const AGAIN_MS = 30_000;
/** Tries to show one, an hour or so. */
const MOST_TRIES = 100;

/** The options of an approval worker. */
export interface ApprovalWorkerOptions {
  readonly parts: ChatParts;
  readonly cards: ApprovalCards;
}

/**
 * A worker that shows approvals of all conversations in one place of its platform, and what was decided once they are
 * over, wherever that was. What an earlier process left is taken up.
 */
export class ApprovalWorker extends PollingWorker {
  readonly #options: ApprovalWorkerOptions;
  /** Open approvals whose cards are there. */
  #added: ReadonlySet<string> = new Set();

  constructor(options: ApprovalWorkerOptions) {
    const { clock, report, settings } = options.parts;
    super({
      clock,
      report,
      concurrency: MOST_SHOWN,
      everyMs: TICK_MS,
      poll: async () => {
        const { approvals: chatId } = settings();
        if (chatId === undefined || this.capacity === 0) return;
        await this.#addOthers(chatId);
        for (const card of await options.cards.claimDue(this.capacity))
          void this.track(new ShownApproval(options, card, this.signal).show());
      },
    });
    this.#options = options;
  }

  /** Adds approvals of the API, of editors, of terminals. Chats add theirs, and say more of who asked. */
  async #addOthers(chatId: string): Promise<void> {
    const { cards, parts } = this.#options;
    const others = (await approvalsOfAll(parts.host)).filter(({ isInChat }) => !isInChat);
    for (const { request, sessionId, origin } of others)
      if (!this.#added.has(request.requestId))
        await cards.add({ request, sessionId, chatId, origin: `${origin}.` });
    this.#added = new Set(others.map(({ request }) => request.requestId));
  }

  /** An approval was added: it is looked for at once. */
  look(): void {
    void this.pollOnce().catch((thrown: unknown) => this.#options.parts.report(toHostError(thrown)));
  }
}

/** One approval in the place for them, from its question to what was decided. */
class ShownApproval {
  readonly #options: ApprovalWorkerOptions;
  readonly #signal: AbortSignal;
  #card: ApprovalCard;

  constructor(options: ApprovalWorkerOptions, card: ApprovalCard, signal: AbortSignal) {
    this.#options = options;
    this.#card = card;
    this.#signal = signal;
  }

  /** Rejects only when this process ends first; the next one goes on. */
  async show(): Promise<void> {
    const { clock } = this.#options.parts;
    for (let failures = 1; !(await this.#tried(failures)); failures += 1)
      await sleep(clock, AGAIN_MS, this.#signal);
    await this.#note({ over: true });
  }

  /** `false`: it is worth another try. The question is open on all other surfaces meanwhile. */
  async #tried(failures: number): Promise<boolean> {
    try {
      await this.#untilDecided();
      return true;
    } catch (thrown) {
      if (this.#signal.aborted) throw thrown;
      const error = toHostError(thrown);
      const isLast = error.code === "not_found" || error.code === "invalid_params" || failures === MOST_TRIES;
      if (isLast || failures === 1) this.#options.parts.report(error);
      return isLast;
    }
  }

  async #untilDecided(): Promise<void> {
    const { parts } = this.#options;
    const { requestId } = this.#card.request;
    const session = await sessionIfThere(parts, this.#card.sessionId);
    await session?.refresh();
    const isOpen = session?.questions().some(({ request }) => request.requestId === requestId) ?? false;
    if (!isOpen && this.#card.part === undefined) return;
    const shown = await this.#send("part", this.#message());
    const resolution = session && (await resolutionOf(session, this.#card, this.#signal));
    const nameOf = (client: string): string => parts.names.of(client, parts.platform.name);
    const below = resolution === undefined ? OVER_WORDS : decidedWords(resolution, nameOf);
    await this.#close(shown, this.#message(below));
  }

  async #close({ messageId = "", mark }: SentPart, card: ReturnType<typeof cardMessage>): Promise<void> {
    const { parts } = this.#options;
    const change = { place: this.#place, messageId, card, ...defined({ mark }) };
    if (parts.channel.edit === undefined) await this.#send("closing", card);
    else await changeCard(parts, change, this.#signal);
  }

  async #send(part: "part" | "closing", card: ReturnType<typeof cardMessage>): Promise<SentPart> {
    const words = `approval\n${part}\n${this.#card.request.requestId}`;
    const once = createHash("sha256").update(words).digest("hex").slice(0, 24);
    const note = (sent: SentPart): Promise<void> => this.#note({ [part]: sent });
    const { [part]: before } = this.#card;
    const { sender } = this.#options.parts;
    return await sender.send(
      { place: this.#place, ...card, once },
      { ...defined({ before }), note },
      this.#signal,
    );
  }

  async #note(change: Partial<ApprovalCard>): Promise<void> {
    this.#card = { ...this.#card, ...change };
    await this.#options.cards.note(this.#card);
  }

  #message(below = "") {
    const { origin, request } = this.#card;
    const hint = answerHint(request.requestId);
    return cardMessage(request, this.#options.parts.platform, { above: origin, hint, below });
  }

  get #place(): ChatPlace {
    return { kind: "channel", chatId: this.#card.chatId };
  }
}

/** Waits until an approval is over; `undefined` when its session, or its turn, ended without a word about it. */
async function resolutionOf(
  session: Session,
  { request: { requestId, turnId } }: ApprovalCard,
  signal: AbortSignal,
): Promise<Resolution | undefined> {
  const closed = (): Resolution | undefined =>
    session.state.closedQuestions.find((question) => question.requestId === requestId)?.resolution;
  const { questions, seq } = await session.refresh();
  if (!questions.some(({ request }) => request.requestId === requestId)) return closed();
  try {
    for await (const event of session.events({ after: seq, signal })) {
      if (event.type === "approval.resolved" && event.requestId === requestId) return event.resolution;
      if (event.type === "turn.end" && event.turnId === turnId) return closed();
    }
  } catch (thrown) {
    if (!session.gone) throw thrown;
  }
  signal.throwIfAborted();
  return undefined;
}
