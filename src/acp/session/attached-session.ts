import {
  isDelta,
  type QuestionRequest,
  type Session,
  type SessionEvent,
  type Turn,
  type UserPart,
} from "../../core/index.ts";
import { settledOrAborted, waitAtMost } from "../../shared/async/deadline.ts";
import { TaskQueue } from "../../shared/async/keyed-queue.ts";
import { Signal } from "../../shared/async/signal.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { PromptRequest } from "../connection/prompt-requests.ts";
import type { ConversationUpdate } from "../projection/conversation-update.ts";
import { isUndone } from "../projection/projection.ts";
import { subagentCall } from "../projection/subagent-call.ts";
import type { TurnEnd } from "../projection/turn-end.ts";
import type { ClientContext } from "./client-peer.ts";
import { PATIENCE_MS, type PendingPrompt, PendingPrompts } from "./pending-prompts.ts";
import { PermissionPrompter, questionPolicy } from "./permission-prompter.ts";
import type { NamedServers } from "./session-setup.ts";
import { SessionView } from "./session-view.ts";
import { type StatusSource, StatusTracker } from "./status-tracker.ts";
import { UnloggedUpdates } from "./unlogged-updates.ts";

interface AttachOptions {
  readonly status: StatusSource;
  /** They are closed with the session. */
  readonly servers?: NamedServers;
  /** The prompts that the client has pending here since it opened the session before. */
  readonly prompts?: PendingPrompts;
}

/** A session as one client sees it: its events go to the client in order, and the client's prompts go in. */
export class AttachedSession {
  readonly session: Session;
  /** Takes prompts one after the other. */
  readonly inOrder = new TaskQueue();
  readonly unlogged: UnloggedUpdates;
  readonly status: StatusTracker;
  readonly prompts: PendingPrompts;
  readonly servers: NamedServers | undefined;
  readonly #context: ClientContext;
  readonly #life = new AbortController();
  readonly #view: SessionView;
  readonly #prompter: PermissionPrompter;
  readonly #detach: () => void;
  #replaying = false;
  #isFollowing = false;
  /** Everything up to this cursor has been shown. */
  #shownTo: number;
  readonly #shown = new Signal();
  /** The prompt whose turn runs. */
  #running: string | undefined;
  /** A turn that is over; its prompt is answered as soon as everything that belongs to the end has been sent. */
  #ending: TurnEnd | undefined;
  #following: Promise<void> = Promise.resolve();

  constructor(session: Session, context: ClientContext, { status, servers, prompts }: AttachOptions) {
    const { environment, host } = context;
    this.session = session;
    this.#context = context;
    this.servers = servers;
    this.prompts = prompts ?? new PendingPrompts(host.services.clock);
    this.prompts.onGiveUp((end) => this.#gaveUp(end));
    this.#prompter = new PermissionPrompter(session, context, () => this.#stopOwn());
    this.status = new StatusTracker(session, status);
    const isPending = (promptId: string): boolean => this.prompts.has(promptId);
    this.#view = new SessionView(session, context, { life: this.#life.signal, isPending });
    this.unlogged = new UnloggedUpdates(session, this.#view, host.services);
    this.#shownTo = session.cursor;
    this.#running = session.state.turn?.prompt.id;
    for (const turn of this.prompts.turns()) this.#watch(turn);
    const files = environment?.files(session.id);
    const terminals = environment?.terminals(session.id, (callId, terminalId) =>
      this.#view.showClientTerminal(callId, terminalId),
    );
    this.#detach = session.attach({
      ...defined({ files, terminals, toolsets: servers && (() => servers.links.toolsets()) }),
    });
  }

  /** Shows the client everything that happened so far, without the rows that were undone. */
  async replay(): Promise<void> {
    const { session } = this;
    const { state } = session;
    this.#replaying = true;
    this.#view.beginReplay();
    this.#shownTo = 0;
    const { signal } = this.#life;
    for await (const page of session.pages({ keepsRows: true, signal })) {
      for (const event of page) {
        const showing = isUndone(event, state) ? undefined : this.#show(event);
        if (showing !== undefined) await showing;
        this.#shownTo = event.seq;
      }
    }
    this.#shown.notify();
    this.#view.endReplay();
    this.#replaying = false;
    this.#running = session.state.turn?.prompt.id;
  }

  /** Shows new events from now on, the session's status, and its open questions. */
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

  /** Tells the client each part of the session's status that is new to it. */
  tellStatus(): void {
    if (this.#life.signal.aborted || !this.#isFollowing) return;
    for (const status of this.status.changes()) this.#view.post(status);
  }

  /** Sends a prompt of this client's. @throws HostError `invalid_params` when there is nothing in it */
  submit(parts: readonly UserPart[], request: PromptRequest): PendingPrompt {
    const { from, capabilities } = this.#context;
    const questions = questionPolicy(capabilities);
    const turn = this.session.submit({ parts, from, mode: "queue", questions, signal: request.signal });
    this.#watch(turn);
    return this.prompts.add(turn, request);
  }

  /** Adds text to the turn that runs; `false` when none does. */
  steer(text: string): Promise<boolean> {
    return this.session.steer(text, this.#context.from);
  }

  /**
   * Stops the turn that runs now, whoever began it, and no other: one that begins while this is on its way was not
   * meant. The signals of this client's own prompt requests take its prompts back.
   */
  async cancel(): Promise<void> {
    const { turn } = this.session.state;
    if (turn !== undefined) await this.session.stop(turn.prompt.id, this.#context.from);
  }

  async #stopOwn(): Promise<void> {
    const promptId = this.session.state.turn?.prompt.id;
    if (promptId !== undefined && this.prompts.has(promptId))
      await this.session.stop(promptId, this.#context.from);
  }

  /**
   * Ends the attachment, because the client closes the session or opens it again.
   *
   * @param prompts - the client's own prompts are stopped as if it had cancelled them, or dropped, or handed over to its
   *   next attachment, and so are its servers
   */
  async close(prompts: "stop" | "drop" | "hand over"): Promise<void> {
    if (prompts === "stop") await this.#stopAll();
    this.#life.abort();
    this.#prompter.settleAll();
    this.#view.close();
    this.#detach();
    if (prompts !== "hand over") {
      this.prompts.dropped(this.prompts.open());
      await this.servers?.links[Symbol.asyncDispose]();
    }
    await this.#following;
  }

  /** Stops this client's prompts, and shows how they end as long as that takes no longer than `PATIENCE_MS`. */
  async #stopAll(): Promise<void> {
    const { from, host } = this.#context;
    await Promise.all(this.prompts.open().map((promptId) => this.session.stop(promptId, from)));
    if (!this.#isFollowing) return;
    await waitAtMost({ clock: host.services.clock, ms: PATIENCE_MS }, async () => {
      // Those that are still being read are dropped once they are.
      await this.inOrder.idle();
      await this.prompts.allEnded();
    });
  }

  async #pump(): Promise<void> {
    const { session } = this;
    const take = (event: SessionEvent): boolean => this.#takeAtOnce(event);
    const { signal } = this.#life;
    for await (const event of session.events({ after: this.#shownTo, signal, take })) {
      // The title that a session gets after its first turn belongs to the end of that turn.
      if (this.#ending !== undefined && event.type !== "title.set") await this.#answer();
      const showing = this.#show(event);
      if (showing !== undefined) await showing;
      this.#shownTo = event.seq;
      if (this.#ending !== undefined && session.cursor <= event.seq) await this.#answer();
      this.#shown.notify();
    }
  }

  /** Sends text to a client that keeps up, before anything else is done. */
  #takeAtOnce(event: SessionEvent): boolean {
    const { writer } = this.#context;
    if (!isDelta(event) || this.#ending !== undefined || writer.crowded) return false;
    // Text has no images to wait for.
    void this.#show(event);
    writer.flush();
    this.#shownTo = event.seq;
    this.#shown.notify();
    return true;
  }

  /** Shows an event; `undefined` when nobody has to wait for that. */
  #show(event: SessionEvent): Promise<void> | undefined {
    if (event.type === "turn.start") this.#running = event.prompt.id;
    const isMuted = this.#running !== undefined && this.prompts.isGivenUp(this.#running);
    const updates = this.#view.show(event, { isMuted });
    if (updates instanceof Promise) return updates.then((shown) => this.#hasShown(event, shown));
    return this.#hasShown(event, updates);
  }

  #hasShown(event: SessionEvent, updates: readonly ConversationUpdate[]): Promise<void> | undefined {
    for (const update of updates) {
      if (update.type === "turn.end") this.#turnEnd(update.end);
      if (update.type === "turn.start") this.prompts.started(update.promptId);
    }
    if (!this.#replaying) this.#react(event);
    const { writer } = this.#context;
    return writer.crowded ? writer.room() : undefined;
  }

  /** Does what a new event means beside its updates. */
  #react(event: SessionEvent): void {
    if ("resolution" in event) this.#prompter.settle(event.requestId);
    if (isQuestion(event)) this.#ask(event);
    if (event.type === "prompt.dropped") this.prompts.dropped(event.promptIds);
    if (CHANGES_STATUS.has(event.type)) this.tellStatus();
  }

  #turnEnd(end: TurnEnd): void {
    this.#running = undefined;
    if (this.#replaying) return;
    this.#prompter.settleAll();
    this.#ending = end;
  }

  /** Answers the prompt whose turn is over, after everything that belongs to it and before anything else. */
  async #answer(): Promise<void> {
    const end = this.#ending;
    this.#ending = undefined;
    if (end === undefined) return;
    await settledOrAborted(this.prompts.ended(end), this.#life.signal);
  }

  #ask(request: QuestionRequest): void {
    if (request.type !== "approval.request" || request.child === undefined)
      return this.#prompter.ask(request, this.#view.call(request.callId));
    const call = subagentCall(request);
    this.#prompter.ask({ ...request, content: call.content }, call);
  }

  /** Shows the end of a turn that no event tells. */
  #gaveUp(end: TurnEnd): void {
    if (end.promptId === this.#running) this.#view.post({ type: "turn.end", end });
  }

  /** Answers a prompt whose turn ends in a way that no event tells. */
  #watch({ promptId, result }: Pick<Turn, "promptId" | "result">): void {
    result.then(
      async (ended) => {
        await this.#untilShown(this.session.cursor);
        if (!this.#life.signal.aborted) this.prompts.unsaved(promptId, ended);
      },
      (thrown: unknown) => this.prompts.failAll(thrown),
    );
  }

  /** Waits until the events up to a cursor have been shown, and a turn that ended among them was answered. */
  async #untilShown(cursor: number): Promise<void> {
    const { signal } = this.#life;
    while ((this.#shownTo < cursor || this.#ending !== undefined) && !signal.aborted)
      await this.#shown.wait(signal);
  }

  #report(thrown: unknown): void {
    this.#context.host.services.report(toHostError(thrown));
  }
}

/** The events after which a client's view of the status may be out of date. */
const CHANGES_STATUS = new Set<SessionEvent["type"]>([
  "settings.set",
  "title.set",
  "reply.complete",
  "history.compress",
  "history.undo",
  "turn.end",
]);

const isQuestion = (event: SessionEvent): event is Extract<SessionEvent, { type: `${string}.request` }> =>
  event.type.endsWith(".request");
