import type {
  Begun,
  Host,
  OpenOptions,
  Session,
  SessionEvent,
  SettingsPatch,
  Submission,
  Turn,
} from "../../core/index.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { AdmissionControl } from "../server/admission.ts";
import { type TurnAnswer, TurnAnswerFold } from "./turn-answer.ts";
import { TurnReaders } from "./turn-readers.ts";
import { changedSettings } from "./model-choice.ts";
import { type TurnFollowOptions, followTurn, type TurnRef } from "./turn-ref.ts";

/** A turn that is to begin. Its ids are chosen beforehand, so that it can be found whatever happens meanwhile. */
export interface TurnPlan {
  readonly ref: TurnRef;
  /** The session is made with it; without, it is there already. */
  readonly open?: Omit<OpenOptions, "id">;
  /** For a session that is there already. */
  readonly settings?: SettingsPatch;
  readonly submission: Omit<Submission, "id" | "signal">;
  /** Milliseconds after which a turn that nobody reads is stopped; it goes on by default. */
  readonly graceMs?: number;
  /** Refuse it when the server has enough to do, the default. */
  readonly counted?: boolean;
}

/** Begins turns and lets them be read. */
export class Turns {
  readonly #host: Host;
  readonly #admission: AdmissionControl;
  /** Of turns that end when nobody reads them. */
  readonly #audiences = new Map<string, TurnReaders>();
  /** The cursors before turns that run: what was said with their prompts need not be read by those who want the answer. */
  readonly #starts = new Map<string, number>();

  constructor(host: Host, admission: AdmissionControl) {
    this.#host = host;
    this.#admission = admission;
  }

  /**
   * Begins a turn; it is in the log when this resolves.
   *
   * @throws HostError as `Host.begin` and `Session.submit` do; HttpError 429, 503
   */
  async begin(plan: TurnPlan): Promise<Turn> {
    const leave = this.#admission.enter(plan.counted);
    try {
      const { session, turn } = await this.#submit(plan);
      const audience = this.#watch(session, plan);
      const { promptId } = plan.ref;
      const running = session.state.turn;
      if (running?.prompt.id === promptId) this.#starts.set(promptId, running.from);
      const over = (): void => {
        leave();
        audience?.close();
        this.#audiences.delete(promptId);
        this.#starts.delete(promptId);
      };
      turn.result.then(over, over);
      return turn;
    } catch (thrown) {
      leave();
      throw thrown;
    }
  }

  /** The turn's events; reading them keeps it going. */
  events(ref: TurnRef, options: Omit<TurnFollowOptions, "enter">): AsyncGenerator<SessionEvent, void> {
    const enter = (): (() => void) | undefined => this.#audiences.get(ref.promptId)?.enter();
    const after = this.#starts.get(ref.promptId) ?? ref.after;
    return followTurn(() => this.#host.session(ref.sessionId), { ...ref, after }, { ...options, enter });
  }

  /** Waits for the end of a turn; what is there by then when `signal` aborts first. */
  async answer(ref: TurnRef, signal: AbortSignal): Promise<TurnAnswer> {
    const fold = new TurnAnswerFold();
    for await (const event of this.events(ref, { signal })) fold.add(event);
    return fold.answer;
  }

  async #submit({ ref, open, settings, submission }: TurnPlan): Promise<{ session: Session; turn: Turn }> {
    const prompt = { ...submission, id: ref.promptId };
    const begun = open === undefined ? undefined : await this.#open(ref.sessionId, open, prompt);
    if (begun !== undefined) return begun;
    const session = await this.#host.session(ref.sessionId);
    const patch =
      settings === undefined ? undefined : changedSettings(settings, (await session.refresh()).settings);
    if (patch !== undefined) await session.set(patch);
    const turn = session.submit(prompt);
    const { status } = await turn.accepted;
    if (status === "steered") throw new HostError("internal", "A prompt was taken as steering.");
    return { session, turn };
  }

  /** `undefined` when somebody else made a session of that id meanwhile. */
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
    const audience = new TurnReaders(clock, graceMs, stop);
    this.#audiences.set(ref.promptId, audience);
    // Whoever asked for it reads it next; should it never come, the grace has begun.
    audience.enter()();
    return audience;
  }
}
