import { sleep } from "../../shared/async/clock.ts";
import { growingWait } from "../../shared/async/growing-wait.ts";
import { KeyedQueue } from "../../shared/async/keyed-queue.ts";
import { KeyedSemaphore } from "../../shared/async/keyed-semaphore.ts";
import { PollingWorker } from "../../shared/async/polling-worker.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { AcceptedEvent, InboxEntry } from "../inbox/entry.ts";
import type { IncomingClick, IncomingMessage } from "../port/incoming.ts";
import { placeKey } from "../port/place.ts";
import { type AnswerContext, answerMessage, refuseMessage } from "./answer-message.ts";
import { type ChatParts, isOfAnother, originOf } from "./chat-parts.ts";
import { noteReaction, type SideEvent, withdrawOrEdit } from "./side-events.ts";
import { offeredAnswers, readAnswer, readClick, type CardAnswer } from "./question-card.ts";
import { isAtOnce, isHostCommand } from "./run-command.ts";
import { sessionIfThere } from "./session-if-there.ts";
import type { OpenCard } from "./shown-questions.ts";
import { untilStored } from "./until-stored.ts";

/** Milliseconds between two looks for what others left, or an operator wants again. */
const TICK_MS = 2000;
/** Places that are answered side by side in one process. */
const CONCURRENCY = 64;
/** Entries that are taken up at once. */
const BATCH = 500;

/** An answer that somebody gives to an open question. */
interface GivenAnswer {
  readonly card: OpenCard;
  readonly answer: CardAnswer;
}

/** The options of a worker. */
export interface ChatWorkerOptions {
  readonly parts: ChatParts;
  readonly filesOf: AnswerContext["filesOf"];
}

/**
 * A worker that acts upon accepted events: those of one place one after the other, in the order of their acceptance;
 * buttons, thumbs, changes, and commands such as `/stop` at once. What an earlier process left is taken up.
 */
export class ChatWorker extends PollingWorker {
  readonly #options: ChatWorkerOptions;
  readonly #lines = new KeyedQueue();
  /** Changes of messages that wait: the last one counts. */
  readonly #changes = new KeyedQueue();
  readonly #busy = new KeyedSemaphore(() => CONCURRENCY);
  /** The open questions of the places in which something is being answered, by their ids. */
  readonly #open = new Map<string, { readonly open: Map<string, OpenCard>; answers: number }>();
  #caughtUp: Promise<void> | undefined;

  constructor(options: ChatWorkerOptions) {
    const { clock, report } = options.parts;
    super({
      clock,
      report,
      concurrency: Number.MAX_SAFE_INTEGER,
      everyMs: TICK_MS,
      poll: () => this.#look(),
    });
    this.#options = options;
  }

  /**
   * Resolves when what an earlier process left has begun: what is accepted from then on is answered behind it.
   *
   * @throws HostError when the store cannot be read; the next call looks again
   */
  caughtUp(): Promise<void> {
    this.#caughtUp ??= this.pollAnew().catch((thrown: unknown) => {
      this.#caughtUp = undefined;
      throw thrown;
    });
    return this.#caughtUp;
  }

  /** Acts upon an event that this process has accepted. Returns at once. */
  begin(entry: InboxEntry): void {
    this.#remember(entry.event);
    this.#act(entry, 0);
  }

  #act(entry: InboxEntry, failures: number): void {
    void this.track(this.#work(entry).catch((thrown: unknown) => this.#again(entry, { failures, thrown })));
  }

  /** Acts upon an event once more after a while: as long as this process lives nobody else does. */
  async #again(
    entry: InboxEntry,
    { failures, thrown }: { readonly failures: number; readonly thrown: unknown },
  ): Promise<void> {
    const { clock, host, report } = this.#options.parts;
    const error = toHostError(thrown);
    if (this.signal.aborted || host.draining || error.code === "store_corrupt") throw error;
    report(error);
    await sleep(clock, growingWait(failures, host.services.random), this.signal);
    if (!this.signal.aborted) this.#act(entry, failures + 1);
  }

  #work(entry: InboxEntry): Promise<void> {
    const { event } = entry;
    const { parts } = this.#options;
    switch (event.type) {
      case "message":
        return this.#message(entry, event);
      case "click":
        return this.#finish(entry, () => this.#click(event));
      case "edit":
      case "deletion":
        return this.#changes.run(placeKey(event.place), () =>
          this.#finish(entry, () => withdrawOrEdit(parts, { ...entry, event } satisfies SideEvent)),
        );
      case "reaction":
        return this.#finish(entry, () => noteReaction(parts, { ...entry, event }));
    }
  }

  #message(entry: InboxEntry, event: IncomingMessage): Promise<void> {
    const given = this.#answerIn(event);
    return given === undefined ? this.#prompt(entry, event) : this.#answerQuestion(entry, event, given);
  }

  #prompt(entry: InboxEntry, event: IncomingMessage): Promise<void> {
    const { parts } = this.#options;
    const queues = parts.settings().busyMode === "queue";
    const waits = isHostCommand(event.text) ? !isAtOnce(parts, event.text) : queues;
    const line = placeKey(event.place);
    return waits ? this.#lines.run(line, () => this.#inTurn(entry)) : this.#answer(entry);
  }

  /** Answers a message when few enough others are being answered. */
  async #inTurn(entry: InboxEntry): Promise<void> {
    const leave = await this.#busy.enter("", this.signal);
    try {
      await this.#answer(entry);
    } finally {
      leave();
    }
  }

  async #answer(entry: InboxEntry, work?: (context: AnswerContext) => Promise<void>): Promise<void> {
    const { parts, filesOf } = this.#options;
    const key = placeKey(entry.event.place);
    const place = this.#open.get(key) ?? { open: new Map<string, OpenCard>(), answers: 0 };
    this.#open.set(key, place);
    place.answers += 1;
    const { open } = place;
    try {
      const context = { parts, open, filesOf, signal: this.signal };
      await (work?.(context) ?? answerMessage(context, entry.id));
    } finally {
      place.answers -= 1;
      if (place.answers === 0) this.#open.delete(key);
    }
  }

  /** Answers a question by a message. One that came too late is a message like others; one that may not is refused in words. */
  async #answerQuestion(entry: InboxEntry, event: IncomingMessage, given: GivenAnswer): Promise<void> {
    const refusal = await this.#give(given, event);
    if (refusal === undefined) return await this.#finish(entry, () => Promise.resolve());
    if (refusal.code === "question_not_pending") return await this.#prompt(entry, event);
    await this.#answer(entry, (context) => refuseMessage(context, entry.id, refusal.message));
  }

  /** The open question of its place that a message answers. */
  #answerIn(event: IncomingMessage): GivenAnswer | undefined {
    if (isHostCommand(event.text)) return undefined;
    const { buttons } = this.#options.parts.platform.capabilities;
    for (const card of this.#open.get(placeKey(event.place))?.open.values() ?? []) {
      const answer = readAnswer(card.request, event.text, buttons);
      if (answer !== undefined) return { card, answer };
    }
    return undefined;
  }

  async #click(event: IncomingClick): Promise<void> {
    const { channel } = this.#options.parts;
    const meant = readClick(event.value);
    const card = meant && (await this.#cardOf(event, meant.requestId));
    const answer = card && offeredAnswers(card.request)[meant?.index ?? -1]?.answer;
    const refusal = card && answer && (await this.#give({ card, answer }, event));
    const said = answer === undefined ? "This question is over." : (refusal?.message ?? "Taken.");
    // Who pressed may be gone; the answer counts all the same.
    await channel.answerClick?.(event, said, this.signal).catch(() => undefined);
  }

  /** The open question that is shown in a place, also when this process has not come to it yet. */
  async #cardOf({ place }: IncomingClick, requestId: string): Promise<OpenCard | undefined> {
    const { parts } = this.#options;
    const known = this.#open.get(placeKey(place))?.open.get(requestId);
    if (known !== undefined) return known;
    const asked = await parts.cards.get(requestId);
    const sessionId =
      asked?.chatId === place.chatId ? asked.sessionId : (await parts.places.find(place))?.sessionId;
    const session = sessionId === undefined ? undefined : await sessionIfThere(parts, sessionId);
    await session?.refresh();
    const request = session?.questions().find((open) => open.request.requestId === requestId)?.request;
    return session && request && { request, session };
  }

  /** Answers a question; gives why the answer does not count, or nothing. */
  async #give({ card, answer }: GivenAnswer, event: AcceptedEvent): Promise<HostError | undefined> {
    const { session, request } = card;
    const { parts } = this.#options;
    // Who may decide an approval is looked up where it is decided, wherever they press.
    if (request.type !== "approval.request" && (await isOfAnother(parts, { event }, session)))
      return new HostError("question_not_pending", "This question is over.");
    try {
      await session.answer(request.requestId, answer, originOf(parts.platform.name, event.from));
      return undefined;
    } catch (thrown) {
      const error = toHostError(thrown);
      if (error.code === "internal" || error.code.startsWith("store_")) throw thrown;
      return error;
    }
  }

  /** Carries out what needs no answer, and ends its entry. */
  async #finish(entry: InboxEntry, work: () => Promise<void>): Promise<void> {
    const { parts } = this.#options;
    const { inbox, clock, platform } = parts;
    await work();
    const { repeatsMs } = platform.limits;
    const end = (now: InboxEntry): InboxEntry => ({ ...now, status: "answered", endedAt: clock.now() });
    await untilStored(parts, this.signal, () => inbox.change(entry.id, end, { repeatsMs }));
  }

  async #look(): Promise<void> {
    const { inbox } = this.#options.parts;
    for (;;) {
      const found = await inbox.claimDue(BATCH);
      for (const entry of found) this.begin(entry);
      if (found.length < BATCH || this.capacity === 0) return;
    }
  }

  #remember({ from }: AcceptedEvent): void {
    const { names, platform } = this.#options.parts;
    names.remember(originOf(platform.name, from).client, { name: from.name, title: platform.title });
  }
}
