import { type Host, rehearseOpening, type Session, SlashCommands, sleep } from "../../core/index.ts";
import { KeyedQueue } from "../../shared/async/keyed-queue.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { LastResult } from "../../shared/memo/last-result.ts";
import { AttachedSession } from "./attached-session.ts";
import type { ClientContext } from "./client-peer.ts";
import { ModelList } from "./model-list.ts";
import { chooseOption, type OptionChange } from "./options.ts";
import { Prompting } from "./prompting.ts";
import type { NamedServers, SessionSetup } from "./session-setup.ts";
import { statusSource, type StatusSource } from "./status-tracker.ts";

interface NamedForSession extends Pick<SessionSetup, "cwd" | "servers"> {
  /** Those that the client named when it opened the session before. */
  readonly before: NamedServers | undefined;
}

/** The sessions that one client has open, and its way to all others. */
export class ClientSessions {
  readonly prompting: Prompting;
  readonly #context: ClientContext;
  readonly #life = new AbortController();
  readonly #models: ModelList;
  readonly #status: StatusSource;
  /** What opens and ends a session is done in the order in which it came, also where the client waited for no answer. */
  readonly #inOrder = new KeyedQueue();
  readonly #open = new Map<string, AttachedSession>();
  /** Those that this client's commands led to. */
  readonly #fromCommands = new Map<string, Session>();

  constructor(context: ClientContext) {
    const { host, process } = context;
    const { models, clock } = host.services;
    const commands = new SlashCommands((cwd) => process.moreCommands?.(cwd) ?? []);
    const changed = (): void => {
      for (const attached of this.#open.values()) attached.tellStatus();
    };
    this.#context = context;
    this.#models = new ModelList({ models, clock, life: this.#life.signal, changed });
    this.#status = statusSource(host.services, commands, this.#models);
    this.prompting = new Prompting(context, commands, async (id) => {
      // One that cannot be opened says why when it is.
      const session = await host.session(id).catch(() => undefined);
      if (session !== undefined) this.#fromCommands.set(id, session);
    });
  }

  get host(): Host {
    return this.#context.host;
  }

  /** Fetches the models before the first session waits for their list. */
  prepare(): Promise<void> {
    return this.#models.soon();
  }

  /** Waits, at most until the client leaves; tells whether it has left. */
  async pause(ms: number): Promise<boolean> {
    await sleep(this.host.services.clock, ms, this.#life.signal);
    return this.#life.signal.aborted;
  }

  /** Goes through what the opening of a session does, as far as nothing of it stays. */
  rehearse(): void {
    const { services } = this.host;
    const state = rehearseOpening({ platform: "acp", cwd: "/", roots: [] }, services);
    const options = this.#status.options(state, new LastResult());
    services.redactor().hideInJson(JSON.stringify(options));
  }

  async begin({ cwd, roots, servers, instructions }: SessionSetup): Promise<AttachedSession> {
    const settings = instructions === undefined ? undefined : { instructions };
    const session = await this.host.open({ platform: "acp", cwd, roots, ...defined({ settings }) });
    return await this.#inOrder.run(session.id, () => this.#attach(session, { cwd, servers }));
  }

  /** Opens a session of any surface, with the workspace that the client names. @throws HostError `session_not_found` */
  resume(id: string, setup: SessionSetup): Promise<AttachedSession> {
    return this.#inOrder.run(id, () => this.#resume(id, setup));
  }

  async #resume(id: string, { cwd, roots, servers, instructions }: SessionSetup): Promise<AttachedSession> {
    const session = await this.host.session(id);
    const state = await session.refresh();
    const isSame = state.cwd === cwd && JSON.stringify(state.roots) === JSON.stringify(roots);
    if (!isSame) await session.set({ cwd, roots });
    if (instructions !== undefined && instructions !== state.settings.instructions)
      await session.set({ instructions });
    return await this.#attach(session, { cwd, servers });
  }

  /** Copies a session. As long as no turn has ended in it there is nothing to copy: a new session is made. */
  async fork(id: string, setup: SessionSetup, before?: string | number): Promise<AttachedSession> {
    let copy: Session;
    try {
      copy = await this.host.branch(id, defined({ before }));
    } catch (thrown) {
      if (toHostError(thrown).code !== "nothing_to_branch") throw thrown;
      return await this.begin(setup);
    }
    return await this.resume(copy.id, setup);
  }

  /** @throws HostError `session_not_found` for one that this client has not opened */
  get(id: string): AttachedSession {
    const attached = this.#open.get(id);
    if (attached !== undefined) return attached;
    const message = `Session ${id} is not open on this connection: load or resume it first.`;
    throw new HostError("session_not_found", message, { details: { subject: id } });
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /** Closes a session; its work is stopped as if the client had cancelled it. @throws HostError `session_not_found` */
  close(id: string): Promise<void> {
    return this.#inOrder.run(id, async () => {
      this.get(id);
      await this.#release(id, "stop");
    });
  }

  /** Archives a session after its work is stopped, or takes it back. @throws HostError `session_not_found` */
  archive(id: string, archived: boolean): Promise<void> {
    return this.#inOrder.run(id, async () => {
      const session = await this.host.session(id);
      if (archived) await this.#release(id, "stop");
      if (((await session.refresh()).archived ?? false) !== archived) await session.set({ archived });
    });
  }

  /** Deletes a session for good; a no-op for one that does not exist. */
  delete(id: string): Promise<void> {
    return this.#inOrder.run(id, async () => {
      await this.#release(id, "stop");
      this.#fromCommands.delete(id);
      await this.host.delete(id).catch((thrown: unknown) => {
        if (toHostError(thrown).code !== "session_not_found") throw thrown;
      });
    });
  }

  /** The sessions that this client or its commands opened, in that order. */
  opened(): readonly Session[] {
    const attached = [...this.#open.values()].map(({ session }) => session);
    return [...attached, ...[...this.#fromCommands.values()].filter(({ id }) => !this.#open.has(id))];
  }

  /** Stops the turn that runs in a session; a no-op for one that is not open here. */
  async cancel(id: string): Promise<void> {
    await this.#open
      .get(id)
      ?.cancel()
      .catch((thrown: unknown) => this.host.services.report(toHostError(thrown)));
  }

  /** Chooses a value for an option of a session. @throws HostError `session_not_found`, `invalid_params`, `model_*` */
  async choose(id: string, change: OptionChange): Promise<AttachedSession> {
    const attached = this.get(id);
    const { models, personas } = this.host.services;
    await chooseOption(attached.session, change, { models: models(), personas });
    return attached;
  }

  /** Closes all sessions, because the client is gone. Turns go on until the host ends them. */
  async leave(): Promise<void> {
    this.#life.abort();
    await Promise.all([...this.#open.keys()].map((id) => this.#release(id, "drop")));
  }

  /** Attaches the client to a session. Its pending prompts stay when it opens a session again. */
  async #attach(
    session: Session,
    { cwd, servers }: Pick<SessionSetup, "cwd" | "servers">,
  ): Promise<AttachedSession> {
    // Nobody waits for it: what it finds is told with the next status.
    void this.host.services.personas?.refresh?.(session);
    await this.#models.soon();
    const before = this.#open.get(session.id);
    await before?.close("hand over");
    const named = await this.#serversOf(session, { cwd, servers, before: before?.servers });
    const attached = new AttachedSession(session, this.#context, {
      status: this.#status,
      ...defined({ servers: named, prompts: before?.prompts }),
    });
    this.#open.set(session.id, attached);
    if (named === undefined && servers.length > 0) {
      const names = servers.map(({ name }) => name).join(", ");
      const text = `Not connected, because this agent cannot use MCP servers: ${names}.`;
      attached.unlogged.notice("warn", text);
    }
    return attached;
  }

  /** Connects the servers of a session; with those that it has there, calls that run go on. */
  async #serversOf(
    { id }: Session,
    { cwd, servers, before }: NamedForSession,
  ): Promise<NamedServers | undefined> {
    if (before?.cwd === cwd && servers.length > 0) {
      before.links.reload(servers);
      return before;
    }
    await before?.links[Symbol.asyncDispose]();
    if (servers.length === 0) return undefined;
    const failed = (server: string, reason: string): void =>
      this.#open.get(id)?.unlogged.notice("warn", `MCP server ${server}: ${reason}`);
    const links = this.#context.process.connectMcp?.(servers, { sessionId: id, cwd, failed });
    return links && { links, cwd };
  }

  async #release(id: string, prompts: "stop" | "drop"): Promise<void> {
    const attached = this.#open.get(id);
    this.#open.delete(id);
    await attached?.close(prompts);
  }
}
