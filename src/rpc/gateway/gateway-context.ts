import {
  type Host,
  type OpenQuestion,
  type Session,
  type SessionState,
  SlashCommands,
} from "../../core/index.ts";
import { KeyedQueue } from "../../shared/async/keyed-queue.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import type { GatewayPorts } from "../ports.ts";
import type { EventBody } from "../protocol/events.ts";
import { type OpenSession, OpenSessions } from "./open-sessions.ts";
import { userCommands } from "./user-commands.ts";

const RECLAIM_MS = 5 * 60 * 1000;

/** A connection, as the rest of the gateway sees it. */
export interface Subscriber {
  /** Sends an event that concerns everybody. */
  notify(event: EventBody): void;
  /** Sends the info of every session that it follows: something changed that no log tells of. */
  showInfo(): void;
}

/** The parts that all connections of a gateway share. */
export class GatewayContext {
  readonly host: Host;
  readonly ports: GatewayPorts;
  readonly sessions: OpenSessions;
  /** Requests that do not overtake each other, by the id of their session. */
  readonly sessionQueue = new KeyedQueue();
  readonly commands: SlashCommands;
  readonly subscribers = new Set<Subscriber>();
  readonly #unsubscribe: () => void;
  #stopReclaiming: () => void = () => undefined;

  constructor(host: Host, ports: GatewayPorts) {
    this.host = host;
    this.ports = ports;
    this.sessions = new OpenSessions(() => host.services.clock.now());
    this.commands = new SlashCommands((cwd) => [
      ...userCommands(ports),
      ...(ports.moreCommands?.(cwd) ?? []),
    ]);
    this.#unsubscribe = ports.mcp?.subscribe(() => this.showInfo()) ?? (() => undefined);
    this.#reclaimLater();
  }

  /** The session of an id, whether it is open here or not. @throws HostError `session_not_found`, `session_damaged` */
  async session(id: string): Promise<Session> {
    return this.sessions.get(id)?.session ?? (await this.host.session(id));
  }

  /** The same, and from now on it is among the open ones. */
  async open(id: string): Promise<OpenSession> {
    return this.sessions.get(id) ?? this.sessions.open(await this.host.session(id));
  }

  /** Every session of this process that somebody has open, or that does something. */
  busyOrOpen(): readonly Session[] {
    const open = this.sessions.all().map(({ session }) => session);
    const ids = new Set(open.map(({ id }) => id));
    // A subagent is seen, and asks, where its parent is.
    const isOwn = ({ hidden, depth }: SessionState): boolean => !hidden && depth === 0;
    const busy = this.host
      .live()
      .filter(
        ({ id, driving, state }) => !ids.has(id) && isOwn(state) && (driving || state.questions.length > 0),
      );
    return [...open, ...busy];
  }

  /** The open question of an id, wherever in this process it is asked. */
  question(requestId: string): { readonly session: Session; readonly question: OpenQuestion } | undefined {
    for (const session of this.busyOrOpen()) {
      const question = session.state.questions.find(({ request }) => request.requestId === requestId);
      if (question !== undefined) return { session, question };
    }
    return undefined;
  }

  broadcast(event: EventBody): void {
    for (const each of this.subscribers) each.notify(event);
  }

  /** Something changed for all sessions: whoever follows one gets its info anew. */
  showInfo(): void {
    for (const each of this.subscribers) each.showInfo();
  }

  /** The folder of new sessions whose client names none. */
  newSessionCwd(): string {
    return this.ports.sessionFolder();
  }

  /** A connection is over: what it leaves behind must not pile up. */
  left(subscriber: Subscriber): void {
    this.subscribers.delete(subscriber);
    if (this.sessions.crowded) this.#reclaim();
  }

  report(thrown: unknown): void {
    this.host.services.report(toHostError(thrown));
  }

  close(): void {
    this.#unsubscribe();
    this.#stopReclaiming();
  }

  #reclaimLater(): void {
    this.#stopReclaiming = this.host.services.clock.after(RECLAIM_MS, () => {
      this.#reclaim();
      this.#reclaimLater();
    });
  }

  #reclaim(): void {
    for (const id of this.sessions.reclaim()) {
      const payload = { session_id: id, stored_session_id: id, reason: "idle" };
      this.broadcast({ type: "session.reclaimed", payload });
    }
  }
}
