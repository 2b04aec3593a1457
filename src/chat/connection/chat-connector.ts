import { type HeldRole, RecordLease } from "../../core/index.ts";
import { sleep } from "../../shared/async/clock.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { ApprovalCards, type AskedApproval } from "../approvals/approval-cards.ts";
import { ApprovalWorker } from "../approvals/approval-worker.ts";
import { PENDING_COMMAND } from "../approvals/pending-approvals.ts";
import { Pairing } from "../access/pairing.ts";
import { acceptEvents } from "../inbox/acceptance.ts";
import { Inbox } from "../inbox/inbox.ts";
import type { Channel, Sink, WebhookAnswer, WebhookRequest } from "../port/channel.ts";
import type { Incoming } from "../port/incoming.ts";
import type { ChatPlatform } from "../port/platform.ts";
import { type KeptDelivery, sendKept } from "../sending/kept-delivery.ts";
import { noteUndelivered } from "../turns/side-events.ts";
import { type ChannelState, keepConnected } from "./connection.ts";
import { noteConnector } from "./connector-status.ts";
import { keepServing } from "./keep-serving.ts";
import { type ConnectorParts, type Opened, openConnector } from "./open-connector.ts";
import { StrangerCodes } from "./stranger-codes.ts";

/**
 * The connector of a chat platform: what people write there is accepted, answered and delivered; texts of jobs and
 * webhooks go out the same way. Nothing of the platform is loaded before it is used.
 */
export class ChatConnector {
  readonly platform: ChatPlatform;
  readonly #parts: ConnectorParts;
  readonly #life = new AbortController();
  /** No more events are taken, and no connection is kept. */
  readonly #taking = new AbortController();
  #opened: Promise<Opened> | undefined;
  #running: Promise<void> = Promise.resolve();
  /** This host is the one that is connected, of all that share the records. */
  readonly #role: RecordLease;
  #isConnected = false;
  /** Nothing is left from before that the records still say this host works on. */
  #isReleased = true;
  /** Events that are being left to the host that is connected, which may soon be this one. */
  readonly #leaving = new Set<Promise<unknown>>();
  readonly #pairing: Pairing;
  readonly #strangers: StrangerCodes;
  readonly #cards: ApprovalCards;
  /** Only in the process that is connected. */
  #approvals: ApprovalWorker | undefined;
  #botName = "";

  constructor(parts: ConnectorParts) {
    this.#parts = parts;
    this.platform = parts.platform;
    const { records, clock, report } = parts;
    const { name } = parts.platform;
    const pairing = new Pairing(records, clock);
    this.#pairing = pairing;
    const opened = async () => (await this.#open()).parts;
    this.#strangers = new StrangerCodes({ pairing, clock, report, opened }, this.#life.signal);
    this.#cards = new ApprovalCards(records, clock, name);
    this.#role = new RecordLease({
      records,
      clock,
      hostId: this.#hostId,
      space: `chat.lease.${name}`,
      key: name,
    });
  }

  /** Receives from now on. Returns at once; what goes wrong shows in its state, and is tried again. */
  start(): void {
    this.#running = this.#run().catch((thrown: unknown) => {
      this.#changed("off", toHostError(thrown));
      this.#parts.report(toHostError(thrown));
    });
  }

  /** Its platform posts to `/webhooks/<name>`: what happens, or, beside a connection, that a button was pressed. */
  get isReached(): boolean {
    const { mode, extra } = this.#parts.account;
    return mode === "webhook" || extra["webhook_url"] !== undefined;
  }

  /** Takes a request that the platform posted. */
  async webhook(request: WebhookRequest): Promise<WebhookAnswer> {
    const opened = await this.#open();
    const { channel } = opened;
    if (this.#taking.signal.aborted || channel.webhook === undefined) return { status: 503 };
    return await channel.webhook(
      request,
      this.#sink(opened, () => undefined),
    );
  }

  /** Sends a text of a job, of a webhook, or an answer that could not be sent before. */
  async deliver(delivery: KeptDelivery, signal: AbortSignal): Promise<void> {
    const { channel, parts } = await this.#open();
    // The outbox has its own word on who sends what.
    const sending = { ...parts, channel };
    await sendKept(sending, delivery, AbortSignal.any([signal, this.#life.signal]));
  }

  /** Shows an approval in the chat that is for them, unless it is asked there; durable when it resolves. */
  async showApproval({ platform, place, ...asked }: AskedApproval): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    const { approvals: chatId } = (opened?.parts ?? this.#parts).settings();
    if (chatId === undefined || (platform === this.platform.name && place.chatId === chatId)) return;
    await this.#cards.add({ ...asked, chatId });
    this.#approvals?.look();
  }

  /** Takes nothing more; what was accepted goes on. */
  drain(): void {
    this.#taking.abort();
  }

  /** Leaves what is not answered to the next process. */
  async close(): Promise<void> {
    this.#taking.abort();
    this.#life.abort();
    await this.#running;
    await this.#letGo();
  }

  async #run(): Promise<void> {
    const { clock, host, report, changed } = this.#parts;
    await keepServing(
      {
        clock,
        random: host.services.random,
        role: this.#role,
        open: () => this.#open(),
        waiting: () => this.#changed("standby"),
        serve: (role) => this.#serve(role),
        changed,
        report,
      },
      this.#taking.signal,
    );
  }

  /** Is connected for as long as the role is this host's. */
  async #serve(role: HeldRole): Promise<void> {
    const { platform, clock, host } = this.#parts;
    const { lost } = role;
    const opened = await this.#open();
    const { channel, guard, parts, worker } = opened;
    if (!this.#isReleased) await this.#release();
    this.#approvals = new ApprovalWorker({ parts, cards: parts.cards });
    guard.holds(role, [worker, this.#approvals]);
    this.#isConnected = true;
    worker.start();
    this.#approvals.start();
    try {
      await keepConnected(
        {
          clock,
          random: host.services.random,
          silenceMs: platform.limits.silenceMs,
          hold: ({ stands, alive }, until) =>
            this.#hold({ channel, stands, sink: this.#sink(opened, alive) }, until),
          changed: (state, error) => {
            if (role.isHeld()) this.#changed(state, error);
          },
        },
        AbortSignal.any([this.#taking.signal, lost]),
      );
    } finally {
      this.#isConnected = false;
      if (!lost.aborted) guard.givesUp();
    }
    // Another host has the role, or may soon: what is not answered is left to that one.
    if (lost.aborted) await this.#letGo();
  }

  /** Ends what is under way, and leaves it to whoever is connected next. */
  async #letGo(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.worker[Symbol.asyncDispose]();
    await this.#approvals?.[Symbol.asyncDispose]();
    // The process may go on, and connect again.
    const report = (thrown: unknown): void => this.#parts.report(toHostError(thrown));
    if (opened !== undefined) await this.#release().catch(report);
    this.#opened = undefined;
    this.#approvals = undefined;
  }

  /** Lets go of the messages and approvals that this host has; nothing of them is under way. */
  async #release(): Promise<void> {
    const { records, clock, platform } = this.#parts;
    this.#isReleased = false;
    await new Inbox(records, clock, platform.name).release(this.#hostId);
    await this.#cards.release(this.#hostId);
    this.#isReleased = true;
  }

  get #hostId(): string {
    return this.#parts.host.services.store.hostId;
  }

  async #hold(
    { channel, sink, stands }: { channel: Channel; sink: Sink; stands: () => void },
    signal: AbortSignal,
  ): Promise<void> {
    const { commands, account, clock } = this.#parts;
    const listed = [...commands.all(), PENDING_COMMAND].map(({ name, description }) => ({
      name,
      description,
    }));
    this.#botName = (await channel.connect(listed, signal)).name;
    stands();
    if (account.mode === "connection" && channel.receive !== undefined)
      return await channel.receive(sink, signal);
    // The platform comes to us; the account is looked at now and then.
    const { silenceMs } = this.platform.limits;
    for (;;) {
      sink.alive();
      await sleep(clock, silenceMs / 2, signal);
      if (signal.aborted) return;
      await channel.connect(listed, signal);
    }
  }

  #sink(opened: Opened, alive: () => void): Sink {
    return {
      alive,
      take: (events) => this.#take(opened, events),
      admits: async (from, place) => {
        await this.#parts.refresh();
        return await opened.access.admits(from, place);
      },
      undelivered: (message) => noteUndelivered(opened.parts, message),
    };
  }

  async #take({ parts, worker, access }: Opened, events: readonly Incoming[]): Promise<void> {
    const { platform, refresh } = this.#parts;
    // Whoever may talk, or approve, no more may not do so from this event on.
    const { isOn, approvers } = await refresh();
    if (!isOn) this.drain();
    // What is not taken is not acknowledged, and comes again.
    if (this.#taking.signal.aborted)
      throw new HostError("draining", `${platform.title} is switched off, or the agent is shutting down.`);
    const isConnected = this.#isConnected;
    if (isConnected) {
      // What came just before this host was connected is found there, and comes first.
      await Promise.allSettled(this.#leaving);
      await worker.caughtUp();
    }
    const accepting = acceptEvents(
      {
        platform: platform.name,
        inbox: parts.inbox,
        places: parts.places,
        access,
        approvers,
        pairing: this.#pairing,
        tellStranger: (message, offered) => void this.#strangers.tell(message, offered),
        // Messages of a place keep their order at one host; who presses a button waits for the answer here.
        isOurs: ({ type }) => isConnected || type === "click",
      },
      events,
    );
    if (!isConnected) {
      this.#leaving.add(accepting);
      const over = (): void => void this.#leaving.delete(accepting);
      accepting.then(over, over);
    }
    for (const entry of await accepting) worker.begin(entry);
  }

  #open(): Promise<Opened> {
    this.#opened ??= openConnector(this.#parts).catch((thrown: unknown) => {
      this.#opened = undefined;
      throw thrown;
    });
    return this.#opened;
  }

  #changed(state: ChannelState, error?: HostError): void {
    const { records, clock, platform, changed, report } = this.#parts;
    changed(state, error);
    // The row is of the process that has the connection.
    if (state === "standby") return;
    const { name, title } = platform;
    const botName = this.#botName;
    const note = {
      platform: name,
      title,
      state,
      at: clock.now(),
      ...defined({ botName: botName || undefined, error: error?.message }),
    };
    noteConnector(records, note).catch((thrown: unknown) => report(toHostError(thrown)));
  }
}
