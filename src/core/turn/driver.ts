import type { Decision, LogView } from "../log/append-plan.ts";
import { sleep } from "../../shared/async/clock.ts";
import { type TurnEnding, turnEndRows, turnStartRows } from "./turn-rows.ts";
import { cancelQuestions, withdrawQuestions } from "../questions/resolution-rows.ts";
import { errorRecord, HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { DeltaEvent, DurableEvent, LiveEvent } from "../events/events.ts";
import { isDelta } from "../events/delta.ts";
import { isQuestion } from "../events/question-events.ts";
import { TurnQuestions } from "../questions/turn-questions.ts";
import { holdQueue, nextPrompt } from "../state/queue.ts";
import { isParkedBy } from "../state/status.ts";
import type { SessionState } from "../state/state.ts";
import { autoTitle } from "./title.ts";
import type { PendingEvent, TurnContext } from "./turn-context.ts";
import { TurnModel } from "./turn-model.ts";
import { modelChoice } from "../ports/persona.ts";
import type { WaitingLine } from "./turn-room.ts";
import { runTurn } from "./turn.ts";

/** A stopped turn is over after this, whether or not what it waits for has noticed. */
const GRACE_MS = 800;
/** Characters of streamed text that may wait to be saved; beyond that the model's stream waits too. */
const TEXT_BACKLOG = 256 * 1024;

// Made once: an abort without a reason makes an exception of its own each time.
const TURN_STOPPED = new HostError("interrupted", "The turn was stopped.");
const TURN_OVER = new HostError("interrupted", "The turn is over.");

/** The ports of a driver, to its session and its host. */
export interface DriverPorts extends Omit<TurnContext, "turnId" | "signal" | "questions" | "model" | "show"> {
  /** The end of the turn cannot be saved now; the driver keeps trying. */
  unsaved(error: HostError): void;
  /** The lease stays with this process for a while after the turn. */
  readonly keepLease: boolean;
  /** No new turn is begun. */
  readonly draining: () => boolean;
  /** Where sessions wait when this host has no room. */
  readonly line: WaitingLine;
  /** Whether this process runs what is queued. */
  readonly ownsQueue: (state: SessionState) => boolean;
  /** Aborts when the host closes. */
  readonly life: AbortSignal;
}

/** The reason for which a turn is stopped from outside: it ends so, or `abandon` leaves it in the log as it stands. */
export type StopReason = { readonly ending: TurnEnding } | { readonly abandon: HostError };

/**
 * A driver of one turn: takes each step that the turn yields, appends it, and always ends the turn. It is the only code
 * that appends for a turn, and it catches everything.
 */
export class Driver {
  readonly turnId: string;
  readonly questions = new TurnQuestions();
  readonly #ports: DriverPorts;
  readonly #life = new AbortController();
  #stop: StopReason | undefined;
  #rejectStep: (reason: unknown) => void = () => undefined;
  /** The reason why no further step is waited for. */
  #stoppedWaiting: { readonly reason: unknown } | undefined;
  /** Results that are on their way to the disk. */
  #results: Promise<void> = Promise.resolve();
  /** No step is taken any more: what a model still says after that is shown to nobody. */
  #isOver = false;

  constructor(turnId: string, ports: DriverPorts) {
    this.turnId = turnId;
    this.#ports = ports;
  }

  /** It was stopped, and is on its way to its end. */
  get stopping(): boolean {
    return this.#stop !== undefined;
  }

  /** Stops the turn; the first reason counts. Returns at once. */
  stop(stop: StopReason): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    const { writer, services } = this.#ports;
    this.#life.abort(TURN_STOPPED);
    // A turn that is left as it stands need not come to an end of its own.
    if ("abandon" in stop) return this.#stopWaiting(stop.abandon);
    services.clock.after(GRACE_MS, () => this.#stopWaiting(this.#life.signal.reason));
    // A question may be on its way to the log.
    if (writer.plannedState.questions.length === 0) return;
    const cancelled = writer.transact((view) => {
      this.#requireRunning(view);
      return { events: cancelQuestions(view.state, "the turn was stopped"), value: undefined };
    });
    // The rows that end the turn settle the questions too, should this not have come through.
    cancelled.catch(() => undefined);
  }

  /** Runs the turn to its end and gives the id of the turn that was started right after it, if one was queued. */
  async run(): Promise<string | undefined> {
    const ending = await this.#drive();
    this.#life.abort(TURN_OVER);
    const next = ending === undefined ? undefined : await this.#end(ending);
    this.#ports.subagents.budget.leave(this.#ports.log);
    return next;
  }

  async #drive(): Promise<TurnEnding | undefined> {
    const steps = runTurn(this.#context());
    const cancelTimer = this.#limitTime();
    try {
      for (;;) {
        if (this.#abandoned) return undefined;
        const step = await this.#advance(steps);
        if (step.done === true && this.#stop === undefined) {
          await this.#results;
          return { outcome: "completed", reply: step.value };
        }
        if (step.done === true) break;
        await this.#append(step.value);
      }
    } catch (thrown) {
      if (this.#stop === undefined) return this.#failure(thrown);
    } finally {
      this.#isOver = true;
      cancelTimer();
      // Nobody takes the result.
      steps.return({} as never).catch(() => undefined);
    }
    return this.#stop !== undefined && "ending" in this.#stop ? this.#stop.ending : undefined;
  }

  get #abandoned(): boolean {
    return this.#stop !== undefined && "abandon" in this.#stop;
  }

  /** The next step, or a rejection when a stopped turn does not come to an end by itself. */
  #advance(steps: ReturnType<typeof runTurn>): ReturnType<typeof steps.next> {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof steps.next>>>();
    this.#rejectStep = reject;
    if (this.#stoppedWaiting === undefined) steps.next().then(resolve, reject);
    else reject(this.#stoppedWaiting.reason);
    return promise;
  }

  /** Waits for no step any more: neither for the present one nor for any after it. */
  #stopWaiting(reason: unknown): void {
    this.#stoppedWaiting = { reason };
    this.#rejectStep(reason);
  }

  async #append(batch: readonly PendingEvent[]): Promise<void> {
    await this.#results;
    const { writer } = this.#ports;
    const decide = (view: LogView): Decision<void> => {
      this.#requireRunning(view);
      // Nobody is asked on behalf of a turn that was stopped.
      if (this.#stop !== undefined && batch.some(isQuestion)) throw TURN_STOPPED;
      const ended = batch.flatMap((event) => (event.type === "tool.complete" ? [event.callId] : []));
      const events = [...withdrawQuestions(view.state, ended), ...batch.map(withText(view))];
      return { events, value: undefined };
    };
    // The model is told of results once a kill does not lose them. No person hears of them before they are on the disk; nor is
    // anything else done before: its start is a row behind them.
    if (!batch.every(({ type }) => type === "tool.complete")) return await writer.transact(decide);
    const { written, committed } = writer.begin(decide);
    this.#results = committed;
    committed.catch(() => undefined);
    await written;
  }

  #show(event: DeltaEvent | LiveEvent): Promise<void> | undefined {
    if (this.#isOver || this.#abandoned) return undefined;
    const { writer } = this.#ports;
    if (isDelta(event)) {
      writer.stream(event);
      return writer.waitForRoom(TEXT_BACKLOG, this.#life.signal);
    }
    writer.show(event);
    return undefined;
  }

  #failure(thrown: unknown): TurnEnding | undefined {
    const error = toHostError(thrown);
    if (isLost(error)) return undefined;
    if (error.code === "internal") this.#ports.services.report(error);
    return { outcome: "failed", error: errorRecord(error) };
  }

  #limitTime(): () => void {
    const { clock, policy } = this.#ports.services;
    const { turnMs } = policy().limits;
    if (turnMs <= 0) return () => undefined;
    const error = new HostError(
      "limit_exceeded",
      `The turn took longer than ${turnMs / 1000} s (limits.turn_seconds).`,
    );
    return clock.after(turnMs, () => this.stop({ ending: { outcome: "failed", error: errorRecord(error) } }));
  }

  /** Ends the turn in the log, together with the start of the next one; tries again until the host closes. */
  async #end(ending: TurnEnding): Promise<string | undefined> {
    const { writer, services, line } = this.#ports;
    const { plannedState: state, log } = writer;
    for (let wait = 1000; ; wait = Math.min(2 * wait, 30_000)) {
      try {
        // The next turn begins with this one's end.
        if (nextPrompt(state) !== undefined) await services.personas?.refresh?.({ id: log.id, state });
        const yields = this.#yields(state);
        const next = await writer.transact((view) => this.#endDecision(view, { ...ending, yields }));
        if (yields) await line.add(log);
        return next;
      } catch (thrown) {
        const error = toHostError(thrown);
        if (isLost(error)) return undefined;
        services.report(error);
        this.#ports.unsaved(error);
        await sleep(services.clock, wait, this.#ports.life);
        if (!this.#ports.life.aborted) continue;
        services.report(this.#unstored(error));
        return undefined;
      }
    }
  }

  #unstored(cause: HostError): HostError {
    const what = `The end of turn ${this.turnId} of session ${this.#ports.log.id} could not be stored`;
    const message = `${what}; whoever takes the session over ends it as interrupted. ${cause.message}`;
    return new HostError(cause.code, message, { cause });
  }

  /** Whether what is queued waits for those who have waited longer. */
  #yields(state: SessionState): boolean {
    const { line, ownsQueue } = this.#ports;
    return state.depth === 0 && line.room.isFull && nextPrompt(state) !== undefined && ownsQueue(state);
  }

  #endDecision(
    view: LogView,
    { yields, ...ending }: TurnEnding & { readonly yields: boolean },
  ): Decision<string | undefined> {
    const { services, draining, ownsQueue, keepLease } = this.#ports;
    this.#requireRunning(view);
    // Without a budget, the queued prompts would only fail one by one.
    const parks = isParkedBy(view.state, ending.error);
    const held = parks ? holdQueue(view.state) : [];
    const end = [...turnEndRows(view, ending), ...held, ...autoTitle(view.state, services.policy())];
    const prompt = parks ? undefined : nextPrompt(view.state);
    if (prompt === undefined)
      return {
        events: end,
        value: undefined,
        ...(keepLease && !view.state.hidden ? {} : { lease: "give" }),
      };
    if (yields || !ownsQueue(view.state)) return { events: end, value: undefined, lease: "give" };
    // The lease stays with this process. The process that takes over when it is gone runs the queue.
    if (draining()) return { events: end, value: undefined };
    const turnId = `turn_${services.hex(8)}`;
    return { events: [...end, ...turnStartRows(turnId, prompt)], value: turnId, lease: "take" };
  }

  /** @throws HostError `lease_lost` when the turn was ended by somebody else */
  #requireRunning({ state, holdsLease }: LogView): void {
    if (holdsLease && state.turn?.turnId === this.turnId) return;
    throw new HostError("lease_lost", `Turn ${this.turnId} was ended by another process.`);
  }

  #context(): TurnContext {
    const { writer, services } = this.#ports;
    return {
      ...this.#ports,
      turnId: this.turnId,
      signal: this.#life.signal,
      questions: this.questions,
      model: new TurnModel(services.models, () => modelChoice(writer.plannedState)),
      show: (event) => this.#show(event),
    };
  }
}

const withText =
  ({ segments }: LogView) =>
  (event: PendingEvent): DurableEvent =>
    event.type === "reply.complete" ? { ...event, segments: segments() } : event;

/** Whether the turn is no longer this process's: there is nothing left to end. */
const isLost = ({ code }: HostError): boolean => code === "lease_lost" || code === "session_not_found";
