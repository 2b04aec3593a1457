import type { FollowedSession, Peers, Session, SessionRecord, Snapshot } from "../../../core/index.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import { type HostError, toHostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { ClusterHost } from "../cluster-hosts.ts";
import { LINK_VERSIONS, type LinkVersions } from "./handshake.ts";
import { type LinkCall, LARGEST_LINK_MESSAGE, LINK_PATH, LinkListener } from "./link-listener.ts";
import type { LinkMessage } from "./messages.ts";
import { NearLog } from "./near-log.ts";
import { openLink, type PeerLink } from "./peer-link.ts";

/** A session, or a host, is looked for no more often than this. */
const SEEK_MS = 500;
/** The same failure is told of no more often than this, and no more failures at a time: strangers may call as often as they like. */
const TOLD_MS = 60_000;
const MOST_TOLD = 100;

/** The parts of the links of a host. */
export interface PeerLinksParts {
  readonly hostId: string;
  readonly secret: string;
  readonly clock: Clock;
  /** A session of this host. */
  readonly session: (id: string) => Promise<Session>;
  readonly record: (id: string) => Promise<SessionRecord | undefined>;
  readonly hosts: () => Promise<readonly ClusterHost[]>;
  readonly report: (error: HostError) => void;
  readonly versions?: LinkVersions;
}

interface Following {
  readonly session: FollowedSession;
  link?: PeerLink;
  near?: NearLog;
  soughtAt: number;
  cancelSeek?: () => void;
}

/**
 * The links of this host to others: one WebSocket for each, over which each asks for what the other one drives, cursor by cursor.
 * Readers do without where there is none.
 */
export class PeerLinks implements Peers, AsyncDisposable {
  readonly #parts: PeerLinksParts;
  readonly #links = new Map<string, PeerLink>();
  readonly #calling = new Map<string, Promise<PeerLink | undefined>>();
  readonly #following = new Map<string, Following>();
  readonly #life = new AbortController();
  /** What was told, and until when it is not told again. */
  readonly #told = new Map<string, number>();
  #listener: LinkListener | undefined;

  constructor(parts: PeerLinksParts) {
    this.#parts = parts;
  }

  /** Other hosts that have called, or were called. */
  get peers(): readonly string[] {
    return [...this.#links.keys()];
  }

  /** Takes calls of other hosts from now on, at all addresses of this machine without one; gives the port. @throws when nobody can listen there */
  async listen(port: number, address?: string): Promise<number> {
    this.#listener = await LinkListener.listen({
      port,
      ...defined({ host: address }),
      greet: (call) => this.#greet(call, false),
      failed: (error) => this.#parts.report(toHostError(error)),
    });
    return this.#listener.port;
  }

  read(session: string, after: number): Snapshot | undefined {
    return this.#following.get(session)?.near?.read(after);
  }

  follow(session: FollowedSession, signal: AbortSignal): () => boolean {
    const following: Following = { session, soughtAt: Number.NEGATIVE_INFINITY };
    this.#following.set(session.id, following);
    signal.addEventListener("abort", () => {
      if (this.#following.get(session.id) === following) this.#following.delete(session.id);
      following.cancelSeek?.();
      void following.link?.send({ t: "leave", session: session.id });
    });
    this.#seekSoon(following);
    return () => {
      if (following.near !== undefined) return true;
      this.#seekSoon(following);
      return false;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort();
    for (const link of this.#links.values()) link.close();
    await this.#listener?.[Symbol.asyncDispose]();
  }

  #seekSoon(following: Following): void {
    const { clock } = this.#parts;
    const { session, link, soughtAt } = following;
    const isOver = this.#life.signal.aborted || this.#following.get(session.id) !== following;
    if (link !== undefined || isOver) return;
    const left = soughtAt + SEEK_MS - clock.monotonic();
    if (left > 0) {
      following.cancelSeek ??= clock.after(left, () => {
        delete following.cancelSeek;
        this.#seekSoon(following);
      });
      return;
    }
    following.soughtAt = clock.monotonic();
    this.#seek(following).catch((thrown: unknown) => this.#parts.report(toHostError(thrown)));
  }

  /** Asks the host that drives a session for what comes. */
  async #seek(following: Following): Promise<void> {
    const { hostId, record } = this.#parts;
    const { session } = following;
    const owner = (await record(session.id))?.owner;
    if (owner === undefined || !owner.alive || owner.hostId === hostId) return;
    const link = await this.#linkTo(owner.hostId);
    const isWanted = this.#following.get(session.id) === following && following.link === undefined;
    if (link === undefined || link.closed.aborted || !isWanted) return;
    following.link = link;
    await link.send({ t: "follow", session: session.id, after: session.cursor() });
  }

  #linkTo(peer: string): Promise<PeerLink | undefined> | PeerLink {
    const open = this.#links.get(peer);
    if (open !== undefined) return open;
    const calling = this.#calling.get(peer) ?? this.#call(peer);
    this.#calling.set(peer, calling);
    // Who asked hears of a failure, such as of a store that is away just now.
    calling.finally(() => this.#calling.delete(peer)).catch(() => undefined);
    return calling;
  }

  async #call(peer: string): Promise<PeerLink | undefined> {
    const address = (await this.#parts.hosts()).find(({ hostId }) => hostId === peer)?.advertise;
    if (address === undefined) return undefined;
    const { WebSocket } = await import("ws");
    const options = { perMessageDeflate: false, maxPayload: LARGEST_LINK_MESSAGE, handshakeTimeout: 5000 };
    const socket = new WebSocket(`${address.replace(/^http/, "ws")}${LINK_PATH}`, options);
    return await this.#greet({ socket, from: address }, true);
  }

  async #greet(call: LinkCall, calls: boolean): Promise<PeerLink | undefined> {
    const { hostId, secret, clock, versions = LINK_VERSIONS } = this.#parts;
    try {
      const link = await openLink({ ...call, clock, hostId, secret, versions, calls });
      return this.#keep(link);
    } catch (thrown) {
      const error = toHostError(thrown);
      // One that cannot be reached is no failure: the store has everything.
      if (error.code === "unauthorized") this.#tell(error);
      return undefined;
    }
  }

  #tell(error: HostError): void {
    const now = this.#parts.clock.monotonic();
    for (const [message, until] of this.#told) if (until <= now) this.#told.delete(message);
    if (this.#told.has(error.message) || this.#told.size >= MOST_TOLD) return;
    this.#told.set(error.message, now + TOLD_MS);
    this.#parts.report(error);
  }

  /** Of two links between the same hosts, which called each other at once, both keep the one that the lesser id has called. */
  #keep(link: PeerLink): PeerLink {
    const { hostId } = this.#parts;
    if (this.#life.signal.aborted) link.close();
    const other = this.#links.get(link.peer);
    const isLesser = hostId < link.peer === link.calls;
    if (other !== undefined && !other.closed.aborted && !isLesser) {
      link.close();
      return other;
    }
    this.#links.set(link.peer, link);
    other?.close();
    this.#use(link);
    return link;
  }

  #use(link: PeerLink): void {
    const served = new Map<string, AbortController>();
    link.onMessage((message) => this.#take(link, message, served));
    const end = (): void => {
      for (const life of served.values()) life.abort();
      if (this.#links.get(link.peer) === link) this.#links.delete(link.peer);
      for (const following of this.#following.values()) if (following.link === link) this.#lose(following);
    };
    if (link.closed.aborted) end();
    else link.closed.addEventListener("abort", end, { once: true });
  }

  #take(link: PeerLink, message: LinkMessage, served: Map<string, AbortController>): void {
    const { session } = message;
    const following = this.#following.get(session);
    switch (message.t) {
      case "follow": {
        served.get(session)?.abort();
        const life = new AbortController();
        served.set(session, life);
        return void this.#serve(link, message, life.signal);
      }
      case "leave":
        return served.get(session)?.abort();
      case "gone":
        if (following?.link === link) this.#lose(following);
        return;
      case "text":
        if (following?.link !== link) return;
        following.near ??= new NearLog(message.from);
        following.near.add(message);
        following.session.came();
    }
  }

  /** From now on the store is asked; the next change that it tells of leads to a new search. */
  #lose(following: Following): void {
    delete following.link;
    delete following.near;
    following.session.lost();
  }

  /** Sends what a session of this host has after a cursor, for as long as this host drives it. A slow peer gets more at a time. */
  async #serve(
    link: PeerLink,
    { session: id, after }: { readonly session: string; readonly after: number },
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const session = await this.#parts.session(id);
      using listener = session.listen(signal);
      for (let at: number | undefined; !signal.aborted;) {
        const tail = session.tail(at ?? after);
        if (tail === undefined) return await link.send({ t: "gone", session: id });
        const isNew = at === undefined || tail.to > at;
        at = tail.to;
        const { rows, pieces } = tail;
        if (isNew) await link.send({ ...tail, t: "text", session: id, rows: [...rows], pieces: [...pieces] });
        else await listener.wait();
      }
    } catch {
      // It is not here, or not any more: the store says the same.
      await link.send({ t: "gone", session: id });
    }
  }
}
