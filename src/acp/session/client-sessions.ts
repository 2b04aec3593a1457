import { type Host, type Origin, type Session, SlashCommands, type UserPart } from "../../core/index.ts";
import { HostError, errorRecord, toHostError } from "../../shared/errors/host-error.ts";
import { type PromptBlock, userParts } from "./prompt-parts.ts";
import type { AcpPorts, McpLinks, McpServerSpec, ReadableFolders } from "../ports.ts";
import type { Outbox } from "../connection/outbox.ts";
import { AttachedSession } from "./attached-session.ts";
import type { ClientPeer } from "./client-peer.ts";
import { commandIn, runCommand } from "./command-prompt.ts";
import { InOrder } from "./in-order.ts";
import { ModelList } from "./model-list.ts";
import { chooseOption, type OptionChange } from "./options.ts";
import type { PendingPrompt, PromptEnd } from "./pending-prompts.ts";
import type { PromptRequest } from "../connection/prompt-requests.ts";
import { statusSources } from "./status-sources.ts";
import type { StatusSources } from "./status-tracker.ts";

export interface ClientSessionsPorts {
  readonly host: Host;
  readonly peer: ClientPeer;
  readonly outbox: Outbox;
  readonly process: AcpPorts;
}

/** What a client says of a session that it opens. */
export interface SessionSetup extends ReadableFolders {
  readonly servers: readonly McpServerSpec[];
  /** What the model is told beside what it is told anyway; those of before stay when there are none. */
  readonly instructions?: string;
}

/** A prompt that was taken back before it was sent. */
const DROPPED: PendingPrompt = {
  promptId: "",
  started: Promise.resolve(false),
  ended: Promise.resolve({ outcome: "dropped" }),
};

/** The sessions that one client has open, and its way to all others. */
export class ClientSessions {
  readonly #ports: ClientSessionsPorts;
  readonly #from: Origin;
  readonly #commands: SlashCommands;
  readonly #life = new AbortController();
  readonly #models: ModelList;
  readonly #status: StatusSources;
  readonly #attaching = new InOrder();
  readonly #open = new Map<string, AttachedSession>();

  constructor(ports: ClientSessionsPorts) {
    const { services } = ports.host;
    this.#ports = ports;
    this.#commands = new SlashCommands((cwd) => ports.process.moreCommands?.(cwd) ?? []);
    this.#from = { surface: "acp", client: services.hex(4) };
    this.#models = new ModelList(services.models, {
      clock: services.clock,
      life: this.#life.signal,
      changed: () => {
        for (const attached of this.#open.values()) attached.tellStatus();
      },
    });
    this.#status = statusSources(services, { commands: this.#commands, models: this.#models });
  }

  get host(): Host {
    return this.#ports.host;
  }

  /** Makes a session. */
  async begin({ cwd, roots, servers, instructions }: SessionSetup): Promise<AttachedSession> {
    const settings = instructions === undefined ? {} : { settings: { instructions } };
    const session = await this.host.open({ platform: "acp", cwd, roots, ...settings });
    return await this.#attach(session, { cwd, servers });
  }

  /** Opens a session of any surface, with the workspace that the client names. @throws HostError `session_not_found` */
  async resume(id: string, { cwd, roots, servers, instructions }: SessionSetup): Promise<AttachedSession> {
    const session = await this.host.session(id);
    const state = await session.refresh();
    const isSame = state.cwd === cwd && JSON.stringify(state.roots) === JSON.stringify(roots);
    if (!isSame) await session.set({ cwd, roots });
    if (instructions !== undefined && instructions !== state.settings.instructions)
      await session.set({ instructions });
    return await this.#attach(session, { cwd, servers });
  }

  /** Copies a session; one in which no turn has ended yet has nothing to copy, and gives a new one. */
  async fork(id: string, setting: SessionSetup): Promise<AttachedSession> {
    let copy: Session;
    try {
      copy = await this.host.branch(id);
    } catch (thrown) {
      if (toHostError(thrown).code !== "nothing_to_branch") throw thrown;
      return await this.begin(setting);
    }
    return await this.resume(copy.id, setting);
  }

  /** @throws HostError `session_not_found` for one that this client has not opened */
  get(id: string): AttachedSession {
    const attached = this.#open.get(id);
    if (attached !== undefined) return attached;
    throw new HostError(
      "session_not_found",
      `Session ${id} is not open on this connection: load or resume it first.`,
      { details: { subject: id } },
    );
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /** Closes a session; its work is stopped as if the client had cancelled it. @throws HostError `session_not_found` */
  async close(id: string): Promise<void> {
    this.get(id);
    await this.#release(id, "stop");
  }

  /** Puts a session out of the way, or back. Its work is stopped first. @throws HostError `session_not_found` */
  async archive(id: string, archived: boolean): Promise<void> {
    const session = await this.host.session(id);
    if (archived) await this.#release(id, "stop");
    if (((await session.refresh()).archived ?? false) !== archived) await session.set({ archived });
  }

  /** Deletes a session for good; one that is not there is deleted already. */
  async delete(id: string): Promise<void> {
    await this.#release(id, "stop");
    await this.host.delete(id).catch((thrown: unknown) => {
      if (toHostError(thrown).code !== "session_not_found") throw thrown;
    });
  }

  /** The sessions that this client has open, in the order in which it opened them. */
  opened(): readonly Session[] {
    return [...this.#open.values()].map(({ session }) => session);
  }

  /** What a client wrote, in the host's words. @throws HostError `invalid_params` naming the block that cannot be taken */
  async read({ session }: AttachedSession, blocks: readonly PromptBlock[]): Promise<readonly UserPart[]> {
    const { store } = this.host.services;
    const { process } = this.#ports;
    const readText: AcpPorts["readText"] = (path, reach, limit) => process.readText(path, reach, limit);
    return await userParts(blocks, { store, readText, reach: session.state });
  }

  /**
   * Sends a prompt, or runs the command that it is. Resolves when it is on its way.
   *
   * @param read - gives what is in the prompt; prompts are taken in the order in which they came, however long this takes
   */
  async prompt(
    attached: AttachedSession,
    read: () => Promise<readonly UserPart[]>,
    ticket: PromptRequest,
  ): Promise<PendingPrompt> {
    return await attached.inOrder.run(async () => {
      const parts = await read();
      if (ticket.signal.aborted) return DROPPED;
      const command = commandIn(parts);
      const open =
        command === undefined
          ? attached.submit(parts, ticket)
          : this.#begin(command, attached, { parts, ticket });
      // What nobody foresaw ends a prompt in no event.
      const failed = (thrown: unknown): void =>
        attached.unlogged.state("error", errorRecord(toHostError(thrown)));
      open.started.then(
        () => void open.ended.catch(failed),
        () => undefined,
      );
      return open;
    });
  }

  /** Stops what runs in a session; one that is not open here has nothing to stop. */
  async cancel(id: string): Promise<void> {
    await this.#open
      .get(id)
      ?.cancel()
      .catch((thrown: unknown) => this.host.services.report(toHostError(thrown)));
  }

  /** Chooses how a session works. @throws HostError `session_not_found`, `invalid_params`, `model_*` */
  async choose(id: string, change: OptionChange): Promise<AttachedSession> {
    const attached = this.get(id);
    await chooseOption(attached.session, change, { models: this.host.services.models() });
    return attached;
  }

  /** Adds to the turn that runs; `false` when none does. */
  async steer(attached: AttachedSession, text: string): Promise<boolean> {
    return await attached.session.steer(text, this.#from);
  }

  /** The client is gone. Turns go on until the host ends them. */
  async leave(): Promise<void> {
    this.#life.abort();
    await Promise.all([...this.#open.keys()].map((id) => this.#release(id, "drop")));
  }

  #begin(
    command: string,
    attached: AttachedSession,
    { parts, ticket }: { readonly parts: readonly UserPart[]; readonly ticket: PromptRequest },
  ): PendingPrompt {
    const { peer } = this.#ports;
    const promptId = attached.unlogged.commandBegins(parts, peer);
    // Who is answered at the beginning is told of the end after that.
    const begun = peer.echoes ? ticket.answered : Promise.resolve();
    const ended = begun.then(() => this.#command(attached, command, ticket));
    const over = ({ outcome }: PromptEnd): void => {
      if (outcome === "command") attached.unlogged.state("end_turn");
      if (outcome === "dropped") attached.unlogged.state("cancelled");
    };
    ended.then(over, () => undefined);
    return { promptId, started: Promise.resolve(true), ended };
  }

  async #command(attached: AttachedSession, text: string, ticket: PromptRequest): Promise<PromptEnd> {
    const { said, prompt } = await runCommand(text, this.#commands, {
      host: this.host,
      session: attached.session,
      from: this.#from,
      workspace: attached.session.state,
      signal: ticket.signal,
      stopProcesses: (id) => this.#ports.process.stopProcesses(id),
    });
    if (said !== undefined) attached.unlogged.say(said);
    if (prompt !== undefined) return await attached.submit(prompt, ticket).ended;
    return { outcome: ticket.signal.aborted ? "dropped" : "command" };
  }

  /** Opens a session for the client; its prompts there stay open when it has opened it before. */
  async #attach(
    session: Session,
    { cwd, servers }: Pick<SessionSetup, "cwd" | "servers">,
  ): Promise<AttachedSession> {
    await this.#models.soon();
    return await this.#attaching.run(async () => {
      const before = this.#open.get(session.id);
      await before?.close("hand over");
      const links = this.#connect(servers, { session, cwd });
      const attached = new AttachedSession(session, {
        peer: this.#ports.peer,
        outbox: this.#ports.outbox,
        services: this.host.services,
        from: this.#from,
        status: this.#status,
        ...(links === undefined ? {} : { links }),
        ...(before === undefined ? {} : { prompts: before.prompts }),
      });
      this.#open.set(session.id, attached);
      if (links === undefined && servers.length > 0) {
        const names = servers.map(({ name }) => name).join(", ");
        attached.unlogged.notice(
          "warn",
          `Not connected, because this agent cannot use MCP servers: ${names}.`,
        );
      }
      return attached;
    });
  }

  #connect(
    servers: readonly McpServerSpec[],
    { session, cwd }: { readonly session: Session; readonly cwd: string },
  ): McpLinks | undefined {
    if (servers.length === 0) return undefined;
    const failed = (server: string, reason: string): void =>
      this.#open.get(session.id)?.unlogged.notice("warn", `MCP server ${server}: ${reason}`);
    return this.#ports.process.connectMcp?.(servers, { sessionId: session.id, cwd, failed });
  }

  async #release(id: string, prompts: "stop" | "drop"): Promise<void> {
    const attached = this.#open.get(id);
    this.#open.delete(id);
    await attached?.close(prompts);
  }
}
