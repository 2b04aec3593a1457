import { originWords } from "../shared/text/origin-words.ts";
import { respond } from "./respond.ts";
import { messageOf } from "../shared/errors/host-error.ts";
import { defined } from "../shared/json/defined.ts";
import { asSeen } from "../shared/text/control-sequences.ts";
import type { ClientEvent, Gateway, Input, MethodName, AskedRequest, Result } from "./gateway.ts";
import { PromptImages } from "./prompt-images.ts";
import { RunningCommands } from "./running-commands.ts";
import type { Entry, Tone } from "./state/entry.ts";
import { forTerminalLine } from "./terminal/terminal-text.ts";
import { age } from "./text/figures.ts";
import type { ViewStore } from "./view-store.ts";

/** The way in which the first session is found. */
export interface FirstSession {
  /** Its id, the beginning of its id, or its exact title; a new one when it is left out. */
  readonly resume?: string | undefined;
  /** The one in which a person was last in this folder; a new one when there is none. */
  readonly last?: boolean | undefined;
  /** The person picks it from a list. */
  readonly pick?: boolean | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** What it does without asking. */
  readonly mode?: string | undefined;
  /** What is sent to it at once. */
  readonly prompt?: string | undefined;
  readonly cwd?: string | undefined;
  /** Which surface a new session is of; `tui` by default. */
  readonly source?: string | undefined;
}

/** The controller of the shown session: it sends requests to the gateway and shows failures on the screen. */
export class SessionController {
  #gateway: Gateway | undefined;
  #reordering = false;
  #shells = 0;
  #first: FirstSession | undefined;
  #opening: Promise<void> | undefined;
  readonly images = new PromptImages();
  readonly commands: RunningCommands;
  readonly #begun = Promise.withResolvers<void>();
  readonly #store: ViewStore;
  readonly #now: () => number;

  constructor(store: ViewStore, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.commands = new RunningCommands(store, now);
  }

  connect(gateway: Gateway): void {
    this.#gateway = gateway;
  }

  get sessionId(): string | undefined {
    return this.#store.state.view.session?.id;
  }

  /** The shown session as requests name it; nothing when there is none. */
  get where(): { readonly session_id?: string } {
    return defined({ session_id: this.sessionId });
  }

  /** @throws GatewayError when the gateway refuses, or the connection or `signal` ends before it answers */
  request<M extends MethodName>(
    method: M,
    params: Input<M>,
    options?: { readonly signal: AbortSignal },
  ): Promise<Result<M>> {
    if (this.#gateway === undefined) return Promise.reject(new Error("The gateway is not there yet."));
    return this.#gateway.request(method, params, options);
  }

  /** Whether an event belongs on the screen: it is of the session that is shown, or of none. */
  concerns({ session_id }: ClientEvent): boolean {
    return session_id === undefined || session_id === "" || session_id === this.sessionId;
  }

  /** The first session is there, or there will be none: nobody waits for it any more. */
  begun(): void {
    this.#begun.resolve();
  }

  async open(first: FirstSession): Promise<void> {
    this.#first = first;
    await this.#openFirst(first);
    if (first.mode !== undefined) await this.configure({ key: "mode", value: first.mode });
  }

  async #openFirst(first: FirstSession): Promise<void> {
    const { resume, last, pick, model, provider, cwd, source = "tui" } = first;
    const before = resume === undefined && pick !== true ? await this.#newest(cwd) : undefined;
    const wanted = resume ?? (last === true ? before?.id : undefined);
    if (wanted !== undefined) {
      await this.resume(wanted);
      if (resume === undefined && before !== undefined && before.from !== "")
        this.note(
          `There is no chat of this folder yet: this is the newest session of it, from ${before.from}.`,
        );
      if (model !== undefined) await this.configure({ key: "model", value: model, scope: "session" });
      return;
    }
    const attached = await this.request("session.create", {
      cols: this.#store.state.size.columns,
      source,
      ...defined({ model, provider, cwd }),
    });
    this.#store.dispatch({ type: "attached", attached, at: this.#now(), print: true });
    if (before !== undefined) {
      const from = before.from === "" ? "" : `${before.from}, `;
      this.note(`agent -c goes on with ${before.name} (${from}${before.age}).`);
    } else if (last === true) this.note("There is no session of this folder yet: this is a new one.");
  }

  /** The session in which a person was last in a folder. */
  async #newest(cwd: string | undefined) {
    if (cwd === undefined) return undefined;
    const { session_id: id, ...newest } = await this.request("session.most_recent", { cwd });
    if (id === null) return undefined;
    const { title, preview, last_active = 0, in_client = true, platform = "tui", source = "tui" } = newest;
    const name = title || preview || "";
    // Where it comes from, when nobody had it in a client.
    const from = in_client ? "" : forTerminalLine(originWords({ platform, source }));
    const ago = age(last_active * 1000, this.#now());
    return { id, name: name === "" ? id : `"${forTerminalLine(name)}"`, age: ago, from };
  }

  /** Changes a setting of the shown session, when there is one. */
  async configure(setting: Pick<Input<"config.set">, "key" | "value" | "scope">): Promise<void> {
    const session_id = this.sessionId;
    if (session_id !== undefined) await this.request("config.set", { ...setting, session_id });
  }

  async resume(id: string): Promise<void> {
    const cols = this.#store.state.size.columns;
    const attached = await this.request("session.resume", {
      session_id: id,
      cols,
      // What is shown already need not be told again.
      replay_turn: id !== this.sessionId,
    });
    if (attached.note !== undefined) this.note(attached.note);
    const { session_id } = attached;
    const print = session_id !== this.sessionId;
    this.#store.dispatch({ type: "attached", attached, at: this.#now(), print });
    // What its events say only as it changes: what is queued, the steps, what runs beside it.
    const { state } = await this.request("session.status", { session_id });
    this.#store.dispatch({ type: "standing", standing: state });
  }

  /**
   * Sends a prompt, once the first session is there, which is tried again when it could not be opened; while a turn runs it goes into it, waits behind it, or stops it.
   *
   * @returns whether it was taken
   */
  async submit(text: string, mode: "steer" | "queue" | "interrupt" = "queue"): Promise<boolean> {
    this.#store.dispatch({ type: "sending", text });
    await this.#begun.promise;
    try {
      const session_id = this.sessionId ?? (await this.#openAgain());
      await this.images.match(session_id, text, this);
      const { status } = await this.request("prompt.submit", { session_id, text, mode });
      this.images.sent(session_id);
      if (status !== "streaming") this.#store.dispatch({ type: "sent", text });
      return true;
    } catch (thrown) {
      this.#store.dispatch({ type: "sent", text });
      this.complain(thrown);
      return false;
    }
  }

  async #openAgain(): Promise<string> {
    // Prompts that are sent meanwhile go to the same session.
    if (this.#first !== undefined)
      await (this.#opening ??= this.open(this.#first).finally(() => (this.#opening = undefined)));
    if (this.sessionId !== undefined) return this.sessionId;
    throw new Error("There is no session to send it to; the text stays here.");
  }

  /** Stops the turn; what is queued goes on or comes back. Gives the texts that came back. */
  async interrupt({ keepQueue }: { readonly keepQueue: boolean }): Promise<readonly string[]> {
    const session_id = this.sessionId;
    if (session_id === undefined) return [];
    this.#store.dispatch({ type: "interrupting" });
    const { dropped } = await this.request("session.interrupt", { session_id, keep_queue: keepQueue });
    return dropped;
  }

  /** Takes queued prompts back; gives their texts. */
  async takeBack(ids: readonly string[]): Promise<readonly string[]> {
    const session_id = this.sessionId;
    if (session_id === undefined) return [];
    return (await this.request("prompt.drop", { session_id, prompt_ids: [...ids] })).dropped;
  }

  /**
   * Puts what is queued into another order. The protocol has no such thing: all from the first that moves are taken
   * back and sent again; one that has begun meanwhile stays where it is.
   */
  async reorder(ids: readonly string[]): Promise<void> {
    const { queue } = this.#store.state.view;
    const first = queue.findIndex(({ id }, index) => id !== ids[index]);
    if (first === -1) return;
    const texts = new Map(queue.map(({ id, text }) => [id, text]));
    this.#reordering = true;
    try {
      for (const id of ids.slice(first)) {
        const text = texts.get(id);
        if (text !== undefined && (await this.takeBack([id])).length > 0) await this.submit(text);
      }
    } finally {
      this.#reordering = false;
    }
  }

  /** Queued prompts are on their way to other places: what the queue is now is not how it will be. */
  get isReordering(): boolean {
    return this.#reordering;
  }

  /**
   * Answers a question: a choice of an approval, words or a value for the others; empty refuses or skips.
   *
   * @param note - words for the model that go with a choice
   */
  async answer(request: AskedRequest, value: string, note?: string): Promise<void> {
    const { request_id } = request.params;
    this.#store.dispatch({ type: "answering", requestId: request_id, answering: true });
    try {
      const said = await respond((method, params) => this.request(method, params), { request, value, note });
      if (said !== undefined) this.note(said);
    } catch (thrown) {
      this.#store.dispatch({ type: "answering", requestId: request_id, answering: false });
      this.complain(thrown);
    }
  }

  /**
   * Runs a command of the shell in the session's folder, and shows its output as it comes.
   *
   * @param keep - the output goes along with the next prompt
   */
  async shell(command: string, keep: boolean): Promise<void> {
    const id = `shell-${(this.#shells += 1)}`;
    this.#store.dispatch({ type: "shell.begins", id, command, at: this.#now() });
    const ends = (entry?: Entry): void => this.#store.dispatch({ type: "shell.ends", id, entry });
    try {
      const run = { command, stream_id: id, keep, ...this.where };
      const { stdout, code, stopped = false, background, lines } = await this.request("shell.exec", run);
      ends({ kind: "shell", command, output: asSeen(stdout), code, stopped, background, lines });
    } catch (thrown) {
      ends();
      throw thrown;
    }
  }

  /** Stops the newest command of the person's own, of the shell before a slash command; `false` when none runs. */
  stopCommand(): boolean {
    const shell = this.#store.state.view.shells.at(-1);
    if (shell === undefined) return this.commands.stop();
    this.run(this.request("shell.stop", { stream_id: shell.id }));
    return true;
  }

  /** Lets the commands that run go on in the background; says so when there is none that can. */
  async toBackground(): Promise<void> {
    const session_id = this.sessionId;
    if (session_id === undefined) return;
    const { processes } = await this.request("process.background", { session_id });
    if (processes.length > 0)
      return this.note(`In the background: /processes shows what it prints, and ends it.`, "ok");
    this.note("Nothing runs here that can go on in the background: commands of the shell can.");
  }

  print(entry: Entry): void {
    this.#store.dispatch({ type: "print", entry });
  }

  note(text: string, tone: Tone = "info"): void {
    this.print({ kind: "note", tone, text });
  }

  /** Says what went wrong. */
  complain(thrown: unknown): void {
    this.note(messageOf(thrown), "error");
  }

  /** Carries something out that nobody waits for. */
  run(work: Promise<unknown>): void {
    work.catch((thrown: unknown) => this.complain(thrown));
  }
}
