import type {
  BusyMode,
  Origin,
  QuestionRequest,
  Services,
  Session,
  SessionEvent,
  Turn,
  UserPart,
} from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { subagentCall } from "../projection/asked-call.ts";
import { isUndone } from "../projection/projection.ts";
import type { TurnEnd } from "../projection/conversation-update.ts";
import type { OfferedCommand, SessionOption } from "../projection/status-update.ts";
import type { McpLinks } from "../ports.ts";
import { settledOrAborted, waitAtMost } from "../../shared/async/deadline.ts";
import type { Outbox } from "../connection/outbox.ts";
import type { ClientPeer } from "./client-peer.ts";
import { InOrder } from "./in-order.ts";
import { UnloggedUpdates } from "./unlogged-updates.ts";
import { type PendingPrompt, PATIENCE_MS, PendingPrompts } from "./pending-prompts.ts";
import type { PromptRequest } from "../connection/prompt-requests.ts";
import { PermissionPrompter, questionPolicy } from "./permission-prompter.ts";
import { SessionView } from "./session-view.ts";
import { StatusTracker, type StatusSources } from "./status-tracker.ts";

export interface AttachPorts {
  readonly peer: ClientPeer;
  readonly outbox: Outbox;
  readonly services: Services;
  /** This client among all that write to sessions. */
  readonly from: Origin;
  readonly status: StatusSources;
  /** The servers that the client named for the session; they are closed with it. */
  readonly links?: McpLinks;
  /** The client has prompts open here since it opened the session before. */
  readonly prompts?: PendingPrompts;
}

/** A session as one client sees it: what happens in it goes to the client in order, and what the client says goes in. */
export class AttachedSession {
  readonly session: Session;
  /** Takes prompts one after the other. */
  readonly inOrder = new InOrder();
  readonly unlogged: UnloggedUpdates;
  readonly prompts: PendingPrompts;
  readonly #ports: AttachPorts;
  readonly #life = new AbortController();
  readonly #view: SessionView;
  readonly #questions: PermissionPrompter;
  readonly #status: StatusTracker;
  readonly #detach: () => void;
  #replaying = false;
  #isFollowing = false;
  /** Everything up to here has been shown. */
  #shownTo: number;
  /** The prompt whose turn runs. */
  #running: string | undefined;
  /** A turn is over and its prompt is answered as soon as what belongs to its end has been sent. */
  #ending: TurnEnd | undefined;
  #following: Promise<void> = Promise.resolve();

  constructor(session: Session, ports: AttachPorts) {
    const { peer, services, from, outbox } = ports;
    this.session = session;
    this.#ports = ports;
    this.prompts = ports.prompts ?? new PendingPrompts(services.clock);
    this.prompts.onGiveUp((end) => this.#gaveUp(end));
    this.#questions = new PermissionPrompter(session, {
      peer,
      from,
      report: (thrown) => this.#report(thrown),
      stop: () => this.#stopOwn(),
    });
    this.#status = new StatusTracker(ports.status);
    const awaits = (promptId: string): boolean => this.prompts.has(promptId);
    const { signal: life } = this.#life;
    this.#view = new SessionView(
      { sessionId: session.id, peer, outbox, services, from, life, awaits },
      session.state,
    );
    this.unlogged = new UnloggedUpdates(session, this.#view, services);
    this.#shownTo = session.cursor;
    this.#running = session.state.turn?.prompt.id;
    for (const turn of this.prompts.turns()) this.#watch(turn);
    const files = peer.files(session.id);
    const terminals = peer.terminals(session.id, (callId, terminalId) =>
      this.#view.showClientTerminal(callId, terminalId),
    );
    this.#detach = session.attach({
      ...(ports.links === undefined ? {} : { toolsets: () => ports.links?.toolsets() ?? NO_TOOLSETS }),
      ...(files === undefined ? {} : { files }),
      ...(terminals === undefined ? {} : { terminals }),
    });
  }

  /** Tells the client everything that happened so far, but for what was taken back. */
  async replay(): Promise<void> {
    const { session } = this;
    const { state } = session;
    this.#replaying = true;
    this.#view.beginReplay();
    this.#shownTo = 0;
    const { signal } = this.#life;
    for await (const event of session.events({ follow: false, live: false, signal })) {
      if (!isUndone(event, state)) await this.#show(event);
      this.#shownTo = event.seq;
    }
    this.#view.endReplay();
    this.#replaying = false;
    this.#running = session.state.turn?.prompt.id;
  }

  /** Shows what happens from now on, how the session stands, and what is open. */
  follow(): void {
    this.#isFollowing = true;
    this.tellStatus();
    this.unlogged.open();
    for (const { request } of this.session.questions()) this.#ask(request);
    this.#following = this.#pump().catch((thrown: unknown) => {
      this.prompts.failAll(thrown);
      this.#report(thrown);
    });
  }

  /** What can be chosen, for an answer: the client need not be told it again. */
  toldOptions(): readonly SessionOption[] {
    return this.#status.toldOptions(this.session.state);
  }

  /** What can be run, for an answer. */
  toldCommands(): readonly OfferedCommand[] {
    return this.#status.toldCommands(this.session.state);
  }

  /** Tells the client what of the session's status is new to it. */
  tellStatus(): void {
    if (this.#life.signal.aborted || !this.#isFollowing) return;
    for (const status of this.#status.news(this.session.state)) this.#view.post(status);
  }

  /**
   * Sends a prompt of this client's.
   *
   * @throws HostError `invalid_params` when there is nothing in it
   */
  submit(parts: readonly UserPart[], ticket: PromptRequest, mode: BusyMode = "queue"): PendingPrompt {
    const { from, peer } = this.#ports;
    const questions = questionPolicy(peer.abilities);
    const turn = this.session.submit({ parts, from, mode, questions, signal: ticket.signal });
    this.#watch(turn);
    return this.prompts.add(turn, ticket);
  }

  /**
   * Stops the turn that runs now, whoever began it, and no other: one that begins while this is on its way was not
   * meant. Prompts of this client are taken back by their tickets.
   */
  async cancel(): Promise<void> {
    const { turn } = this.session.state;
    if (turn !== undefined) await this.session.stop(turn.prompt.id, this.#ports.from);
  }

  async #stopOwn(): Promise<void> {
    const promptId = this.session.state.turn?.prompt.id;
    if (promptId !== undefined && this.prompts.has(promptId))
      await this.session.stop(promptId, this.#ports.from);
  }

  /**
   * The client does not want to see the session any more, or opens it again.
   *
   * @param prompts - what becomes of its own: stopped as if it had said so, or dropped, or handed over to the next
   */
  async close(prompts: "stop" | "drop" | "hand over"): Promise<void> {
    if (prompts === "stop") await this.#stopAll();
    this.#life.abort();
    this.#questions.settleAll();
    this.#view.close();
    this.#detach();
    if (prompts !== "hand over") this.prompts.dropped(this.prompts.open());
    await this.#ports.links?.[Symbol.asyncDispose]();
    await this.#following;
  }

  /** Stops this client's prompts, and shows how they end as long as that takes no longer than it may. */
  async #stopAll(): Promise<void> {
    const { from, services } = this.#ports;
    await Promise.all(this.prompts.open().map((promptId) => this.session.stop(promptId, from)));
    if (!this.#isFollowing) return;
    await waitAtMost({ clock: services.clock, ms: PATIENCE_MS }, () => this.prompts.allEnded());
  }

  async #pump(): Promise<void> {
    const { session } = this;
    for await (const event of session.events({ after: this.#shownTo, signal: this.#life.signal })) {
      // A session is named after its first turn in the same breath: that belongs to the turn's end.
      if (event.type !== "title.set") await this.#answer();
      await this.#show(event);
      this.#shownTo = event.seq;
      if (session.cursor <= event.seq) await this.#answer();
    }
  }

  async #show(event: SessionEvent): Promise<void> {
    if (event.type === "turn.start") this.#running = event.prompt.id;
    const { outbox } = this.#ports;
    const isMuted = this.#running !== undefined && this.prompts.isGiven(this.#running);
    for (const shown of await this.#view.show(event, { isMuted })) {
      if (shown.type === "turn.end") this.#turnEnd(shown.end);
      if (shown.type === "turn.start") this.prompts.started(shown.promptId);
    }
    if (!this.#replaying) this.#follow(event);
    if (outbox.crowded) await outbox.room();
  }

  /** What an event means beside what it shows. */
  #follow(event: SessionEvent): void {
    if ("resolution" in event) this.#questions.settle(event.requestId);
    if (isQuestion(event)) this.#ask(event);
    if (event.type === "prompt.dropped") this.prompts.dropped(event.promptIds);
    if (TELLS_STATUS.has(event.type)) this.tellStatus();
  }

  #turnEnd(end: TurnEnd): void {
    this.#running = undefined;
    if (this.#replaying) return;
    this.#questions.settleAll();
    this.#ending = end;
  }

  /** Answers the prompt whose turn is over: everything that belongs to it was sent, and nothing else before it. */
  async #answer(): Promise<void> {
    const end = this.#ending;
    this.#ending = undefined;
    if (end === undefined) return;
    await settledOrAborted(this.prompts.ended(end), this.#life.signal);
  }

  #ask(request: QuestionRequest): void {
    if (request.type !== "approval.request" || request.child === undefined)
      return this.#questions.ask(request, this.#view.call(request.callId));
    const call = subagentCall(request);
    this.#questions.ask({ ...request, content: call.content }, call);
  }

  /** The turn that runs counts as over, though no event says so. */
  #gaveUp(end: TurnEnd): void {
    if (end.promptId === this.#running) this.#view.post({ type: "turn.end", end });
  }

  /** Answers a prompt whose turn ends in a way that no event tells. */
  #watch({ promptId, result }: Pick<Turn, "promptId" | "result">): void {
    result.then(
      (ended) => this.#unlessShown(promptId, () => this.prompts.unsaved(promptId, ended)),
      (thrown: unknown) => this.prompts.failAll(thrown),
    );
  }

  /** Runs when the events so far have been shown. */
  #unlessShown(promptId: string, run: () => void): void {
    const goal = this.session.cursor;
    const look = (): void => {
      if (!this.prompts.has(promptId) || this.#life.signal.aborted) return;
      if (this.#shownTo >= goal) return run();
      this.#ports.services.clock.after(LOOK_MS, look);
    };
    look();
  }

  #report(thrown: unknown): void {
    this.#ports.services.report(toHostError(thrown));
  }
}

const NO_TOOLSETS = [] as const;
/** Milliseconds between two looks at whether everything was shown. */
const LOOK_MS = 20;

const TELLS_STATUS = new Set<SessionEvent["type"]>([
  "settings.set",
  "title.set",
  "reply.complete",
  "history.compress",
  "history.undo",
  "turn.end",
]);

const isQuestion = (event: SessionEvent): event is Extract<SessionEvent, { type: `${string}.request` }> =>
  event.type.endsWith(".request");
