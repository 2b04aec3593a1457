import type {
  Begun,
  Host,
  OpenOptions,
  Session,
  SessionEvent,
  Settings,
  SettingsPatch,
  Submission,
  Turn,
} from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { AdmissionControl } from "../server/admission.ts";
import { foldTurnAnswer, type TurnAnswer, TurnAnswerFold } from "./turn-answer.ts";
import { clientLeft } from "./unanswered-error.ts";
import { followTurn, readTurn, type TurnFollowOptions, type TurnRef } from "./turn-ref.ts";

/** A turn that is to begin. Its ids are chosen beforehand, so that it can be found whatever happens meanwhile. */
export interface TurnPlan {
  readonly ref: TurnRef;
  /** The options of the session that is made with the turn; absent, the session exists. */
  readonly open?: Omit<OpenOptions, "id">;
  /** Set on a session that exists. */
  readonly settings?: SettingsPatch;
  readonly submission: Omit<Submission, "id" | "signal">;
  /** Milliseconds after which a turn that nobody reads is stopped; it goes on by default. */
  readonly graceMs?: number;
  /** Let the turn wait, or refuse it, when the server runs as many as it may, the default. */
  readonly counted?: boolean;
}

/** A record that is kept with a turn: added before the turn begins, removed if the turn cannot begin. */
export interface TurnRecord {
  add(): Promise<void>;
  remove(): Promise<void>;
  ended?(): Promise<unknown>;
}

/** The turns of an API server: begins them, and lets them be read. */
export class Turns {
  readonly #host: Host;
  readonly #admission: AdmissionControl;
  /** Of turns that are stopped when nobody reads them, by prompt. */
  readonly #readers = new Map<string, TurnReaders>();
  /** The cursors right before turns that run: readers of an answer skip the history that came with its prompt. */
  readonly #starts = new Map<string, number>();

  constructor(host: Host, admission: AdmissionControl) {
    this.#host = host;
    this.#admission = admission;
  }

  /**
   * Begins a turn; it is in the log when this resolves. Gives its id, which one that waits in a queue has not got yet.
   *
   * @throws HostError as `Host.begin` and `Session.submit` do; HttpError 429, 503
   */
  async begin(plan: TurnPlan, record?: TurnRecord): Promise<string | undefined> {
    const { report } = this.#host.services;
    await record?.add();
    try {
      const turn = await this.#begin(plan);
      const ended = async (): Promise<unknown> => await record?.ended?.();
      turn.result.then(ended, ended).catch((thrown: unknown) => report(toHostError(thrown)));
      return (await turn.accepted).turnId;
    } catch (thrown) {
      await record?.remove();
      throw thrown;
    }
  }

  /** Yields the turn's events as they come; the turn goes on as long as somebody reads. */
  events(ref: TurnRef, options: Omit<TurnFollowOptions, "enter">): AsyncGenerator<SessionEvent, void> {
    const enter = (): (() => void) | undefined => this.#readers.get(ref.promptId)?.enter();
    const after = this.#starts.get(ref.promptId) ?? ref.after;
    return followTurn(() => this.#host.session(ref.sessionId), { ...ref, after }, { ...options, enter });
  }

  /** Waits for the end of a turn; gives the answer so far when `signal` aborts first. */
  async answer(ref: TurnRef, signal: AbortSignal): Promise<TurnAnswer> {
    const fold = new TurnAnswerFold();
    for await (const event of this.events(ref, { signal })) fold.add(event);
    return fold.answer;
  }

  /** Waits for the end of a turn that somebody asked for as a whole. @throws HttpError 499 when they leave before */
  async wholeAnswer(ref: TurnRef, signal: AbortSignal): Promise<TurnAnswer> {
    const answer = await this.answer(ref, signal);
    if (signal.aborted && answer.outcome === undefined) throw clientLeft();
    return answer;
  }

  /** Gives the answer of a turn so far, and its session; `undefined` when the session is gone. */
  async read(ref: TurnRef): Promise<{ readonly session: Session; readonly answer: TurnAnswer } | undefined> {
    const session = await this.session(ref);
    return session && { session, answer: foldTurnAnswer(await readTurn(session, ref)) };
  }

  /** Gives the session of a turn, up to date also when the process that drove it has died. */
  async session({ sessionId }: TurnRef): Promise<Session | undefined> {
    const record = await this.#host.record(sessionId);
    if (record === undefined) return undefined;
    const isOrphan = record.owner !== undefined && !record.owner.alive && record.state.turn !== undefined;
    if (isOrphan) await this.#host.sweep();
    const session = await this.#host.session(sessionId);
    await session.refresh();
    return session;
  }

  async #begin(plan: TurnPlan): Promise<Turn> {
    const leave = await this.#admission.enter(plan.counted);
    try {
      const { session, turn } = await this.#submit(plan);
      const readers = this.#watch(session, plan);
      const { promptId } = plan.ref;
      const running = session.state.turn;
      if (running?.prompt.id === promptId) this.#starts.set(promptId, running.from);
      const over = (): void => {
        leave();
        readers?.close();
        this.#readers.delete(promptId);
        this.#starts.delete(promptId);
      };
      turn.result.then(over, over);
      return turn;
    } catch (thrown) {
      leave();
      throw thrown;
    }
  }

  async #submit({ ref, open, settings, submission }: TurnPlan): Promise<{ session: Session; turn: Turn }> {
    const prompt = { ...submission, id: ref.promptId };
    const begun = open === undefined ? undefined : await this.#open(ref.sessionId, open, prompt);
    if (begun !== undefined) return begun;
    const session = await this.#host.session(ref.sessionId);
    const patch = settings && changedSettings(settings, (await session.refresh()).settings);
    if (patch !== undefined) await session.set(patch);
    const turn = session.submit(prompt);
    const { status } = await turn.accepted;
    if (status === "steered") throw new HostError("internal", "A prompt was taken as steering.");
    return { session, turn };
  }

  /** Gives `undefined` when somebody else made a session of that id meanwhile. */
  async #open(id: string, open: TurnPlan["open"], prompt: Submission): Promise<Begun | undefined> {
    try {
      return await this.#host.begin({ ...open, id }, prompt);
    } catch (thrown) {
      if (toHostError(thrown).code === "session_exists") return undefined;
      throw thrown;
    }
  }

  #watch(session: Session, { ref, graceMs }: TurnPlan): TurnReaders | undefined {
    if (graceMs === undefined) return undefined;
    const { clock, report } = this.#host.services;
    const stop = (): void =>
      void session.stop(ref.promptId).catch((thrown: unknown) => report(toHostError(thrown)));
    const readers = turnReaders(clock, graceMs, stop);
    this.#readers.set(ref.promptId, readers);
    // The client that asked reads next; should it never come, the grace has begun.
    readers.enter()();
    return readers;
  }
}

type TurnReaders = ReturnType<typeof turnReaders>;

/** Counts readers of one turn. It is abandoned when the last has left and none has come within the grace. */
function turnReaders(clock: Clock, graceMs: number, abandoned: () => void) {
  let readers = 0;
  let cancel = (): void => undefined;
  return {
    /** Counts a reader, until the returned function is called. */
    enter(): () => void {
      readers += 1;
      cancel();
      let left = false;
      return () => {
        if (left) return;
        left = true;
        readers -= 1;
        if (readers === 0) cancel = clock.after(graceMs, abandoned);
      };
    },
    /** Stops watching: the turn is over. */
    close: (): void => cancel(),
  };
}

/** Gives a patch if it would change a session. */
function changedSettings(patch: SettingsPatch, now: Settings): SettingsPatch | undefined {
  const differs = (["model", "provider", "reasoning", "fast", "mode", "persona"] as const).some(
    (name) => patch[name] !== undefined && (patch[name] ?? undefined) !== now[name],
  );
  return differs ? patch : undefined;
}
