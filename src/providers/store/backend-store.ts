import {
  type AppendRequest,
  type AppendResult,
  type BlobRef,
  type ChildRecord,
  type Command,
  type DeadHost,
  type Head,
  type HostChange,
  type ListQuery,
  type PieceSave,
  type Owner,
  type Records,
  type SearchPage,
  type TextQuery,
  type SessionRecord,
  type SessionState,
  type Store,
  type StoredRow,
  joinPieces,
} from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { checkAppend, checkNewSession, sessionInUse } from "./append-rules.ts";
import { blobHash, type BlobStore, requireBlobHash } from "./blob-store.ts";
import { CommandSender } from "./command-sender.ts";
import { RecordClient } from "./record-client.ts";
import { IndexFollower } from "./search/index-follower.ts";
import type { SearchBackend } from "./search/search-messages.ts";
import { addUpPeople, addUpUsage, findInSessions } from "./search/session-search.ts";
import type { HomeProcess } from "./home-process.ts";
import { Liveness, type LivenessOptions } from "./liveness.ts";
import type { StoreBackend, HostEntry, SessionEntry, StoreEvent, StoreStats } from "./operations.ts";
import { freshEntry, recordOf } from "./fresh-entry.ts";
import { deadHost } from "./dead-host.ts";
import { unpackRows, unpackSnapshot } from "./packed-rows.ts";
import { HostHeartbeat } from "./heartbeat.ts";
import { PieceSaver } from "./pieces/piece-saver.ts";
import type { PieceSink } from "./pieces/saved-pieces.ts";
import { encodeStateEntry, searchable } from "./state-entry.ts";
import { Sweeper } from "./sweeper.ts";
import { SessionWatchers } from "./session-watchers.ts";

/** A store on one home: the port, and the operator's figures and cleaning. */
export type HomeStore = Store & Pick<BackendStore, "stats" | "sweep" | "processes" | "completeIndex" | "now">;

/** The parts that a store is made of. */
export interface BackendStoreParts extends LivenessOptions {
  readonly backend: StoreBackend;
  readonly blobs: BlobStore;
  /** Where streamed text is saved without the backend. */
  readonly pieces: PieceSink;
  readonly search: SearchBackend;
  /** Machines share it. */
  readonly isShared?: boolean;
}

/** The store port over a backend: it encodes and checks requests, judges which hosts live, and waits for answers. */
export class BackendStore implements Store {
  readonly hostId: string;
  readonly isShared: boolean;
  readonly records: Records;
  readonly #ports: BackendStoreParts;
  readonly #backend: StoreBackend;
  readonly #liveness: Liveness;
  readonly #heartbeat: HostHeartbeat;
  readonly #watchers: SessionWatchers;
  readonly #commands: CommandSender;
  readonly #sweeper: Sweeper;
  readonly #pieces: PieceSaver;
  readonly #index: IndexFollower;
  #onCommand: ((command: Command) => void) | undefined;
  #onHostChange: (change: HostChange) => void = () => undefined;
  #closing: Promise<void> | undefined;

  constructor(ports: BackendStoreParts) {
    const { backend, clock } = ports;
    this.hostId = ports.hostId;
    this.isShared = ports.isShared === true;
    this.#ports = ports;
    this.#backend = backend;
    this.#liveness = new Liveness(ports);
    const died = (): void => this.#onHostChange("died");
    this.#heartbeat = new HostHeartbeat({ backend, clock, liveness: this.#liveness, died });
    this.#watchers = new SessionWatchers(backend);
    this.#commands = new CommandSender({ backend, clock, liveness: this.#liveness, died });
    this.#sweeper = new Sweeper(backend, clock);
    this.#pieces = new PieceSaver(ports.pieces);
    this.#index = new IndexFollower(ports.search, clock);
    this.records = new RecordClient({
      hostId: ports.hostId,
      backend,
      clock,
      judge: (host) => this.#judge(host),
      claimed: () => this.#heartbeat.beat(),
    });
  }

  get isLost(): boolean {
    return this.#backend.isLost === true;
  }

  /** Cleans the home and follows the logs with the search's index, without being asked. */
  startUpkeep(): void {
    this.#sweeper.start();
    this.#index.start();
  }

  readonly savePieces = (save: PieceSave): boolean => this.#pieces.save(save);
  readonly usage: Store["usage"] = (query) => addUpUsage(this.#ports.search, query);
  readonly personUsage: Store["personUsage"] = (query) => addUpPeople(this.#ports.search, query);
  readonly feed: Store["feed"] = (after, limit) => this.#backend.call("feed", { after, limit });

  readonly handle = (event: StoreEvent): void => {
    switch (event.type) {
      case "moved":
        return this.#watchers.moved(event.session);
      case "settled":
        return this.#commands.settled(event.id);
      case "lost":
        return this.#onHostChange("lost");
      case "buried":
        return this.#onHostChange("died");
      case "command":
        return this.#commands.given(event.command, (command) => this.#onCommand?.(command));
    }
  };

  async create(id: string, rows: readonly StoredRow[], state: SessionState): Promise<boolean> {
    checkNewSession(id, { n: 0, seq: 0 }, { rows, state });
    const entry = encodeStateEntry(state, state.parentId !== undefined);
    return this.#backend.call("create", { id, rows, state: entry });
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    checkAppend(request);
    const { state, written, ...rest } = request;
    const encoded =
      state && encodeStateEntry(state, request.creates === true && state.parentId !== undefined);
    this.#pieces.sending(request);
    const sent = { ...rest, pieces: joinPieces(request.pieces), ...(encoded && { state: encoded }) };
    const answer = await this.#backend.call("append", sent, ({ status }) => {
      if (status === "ok") written?.();
    });
    this.#pieces.answered(request, answer);
    this.#index.wrote();
    if (answer.status === "ok") this.#commands.answered(request.results);
    if (answer.status === "owned") return { status: "owned", owner: this.#judge(answer.holder) };
    if (answer.status === "ok" && answer.fence !== undefined) this.#heartbeat.beat();
    return answer;
  }

  readonly read: Store["read"] = async (session, request) =>
    unpackSnapshot(await this.#backend.call("read", { session, ...request }));

  readonly readBefore: Store["readBefore"] = async (session, before, limit) =>
    unpackRows(await this.#backend.call("readBefore", { session, before, limit }));

  async record(session: string, of?: { readonly user: string }): Promise<SessionRecord | undefined> {
    const entry = await this.#backend.call("findSession", { session, ...of });
    return entry && this.#toRecord(entry);
  }

  async list(query: ListQuery): Promise<readonly SessionRecord[]> {
    const search = query.search === undefined ? undefined : searchable(query.search);
    const found = await this.#backend.call("list", defined({ ...query, search }));
    const records = await Array.fromAsync(found, (entry) => this.#toRecord(entry));
    return records.filter((record) => record !== undefined);
  }

  search(query: TextQuery): Promise<SearchPage> {
    return findInSessions({ backend: this.#ports.search, record: (id) => this.record(id) }, query);
  }

  async branch(from: string, head: Head, to: Parameters<Store["branch"]>[2]): Promise<boolean> {
    checkNewSession(to.id, head, to);
    return this.#backend.call("branch", { from, head, ...to, state: encodeStateEntry(to.state, false) });
  }

  async remove(session: string): Promise<boolean> {
    let dead: string | undefined;
    for (;;) {
      const { removed, holder } = await this.#backend.call("remove", { session, holder: dead });
      if (holder === undefined) {
        this.#pieces.forget(session);
        if (removed) await this.#sweeper.purge();
        return removed;
      }
      if (this.#judge(holder).alive) throw sessionInUse(session, holder, this.#liveness);
      dead = holder.id;
    }
  }

  readonly watch: Store["watch"] = (...watching) => this.#watchers.add(...watching);
  readonly send: Store["send"] = (command) => this.#commands.send(command);

  onCommand(handle: (command: Command) => void): void {
    this.#onCommand = handle;
    // A store that fails says so to its next caller.
    this.#backend.call("listen", {}).catch(() => undefined);
  }

  onHostChange(handle: (change: HostChange) => void): void {
    this.#onHostChange = handle;
  }

  readonly answer: Store["answer"] = async (results) => {
    const withdrawn = await this.#backend.call("answer", { results });
    this.#commands.answered(results);
    return withdrawn;
  };

  async findDead(): Promise<readonly DeadHost[]> {
    const hosts = await this.#backend.call("hosts", {});
    this.#liveness.keep(hosts.map(({ host }) => host));
    const dead = hosts.filter(({ host }) => !this.#judge(host).alive);
    return dead.map((remains) => deadHost(remains, this.#ports.identity));
  }

  async isAlive(hostId: string): Promise<boolean> {
    if (hostId === this.hostId) return true;
    const hosts = await this.#backend.call("hosts", {});
    return hosts.some(({ host }) => host.id === hostId && this.#judge(host).alive);
  }

  readonly forgetHost: Store["forgetHost"] = (host) =>
    this.#backend.call("forgetHost", { host, beat: this.#liveness.deadAt(host) });

  async takeOver(session: string, from: string): ReturnType<Store["takeOver"]> {
    const holder = await this.#backend.call("holder", { session });
    if (holder?.id !== from || this.#judge(holder).alive) return undefined;
    const lease = await this.#backend.call("takeOver", { session, from, beat: holder.beat });
    if (lease !== undefined) this.#heartbeat.beat();
    return lease;
  }

  async recordChild(child: ChildRecord): Promise<void> {
    await this.#backend.call("recordChild", child);
    this.#heartbeat.beat();
  }

  readonly forgetChild: Store["forgetChild"] = (pid) => this.#backend.call("forgetChild", { pid });

  async putBlob(bytes: Uint8Array): Promise<BlobRef> {
    const hash = await blobHash(bytes);
    await this.#backend.call("claimBlob", { hash, now: this.#ports.clock.now() });
    await this.#ports.blobs.put(hash, bytes);
    return { hash, size: bytes.byteLength };
  }

  readonly getBlob: Store["getBlob"] = async (hash) => this.#ports.blobs.get(requireBlobHash(hash));
  readonly namesBlob: Store["namesBlob"] = (hash, user) => this.#backend.call("namesBlob", { hash, user });

  /** The time of the store, Unix milliseconds: where machines share it, that of the database. */
  readonly now = (): number => this.#ports.clock.now();

  /** The work that the disk had since the store was opened. */
  readonly stats = (): Promise<StoreStats> => this.#backend.call("stats", {});

  /** The processes that hold something in this home, and the sessions that each drives. */
  async processes(): Promise<readonly HomeProcess[]> {
    const hosts = await this.#backend.call("hosts", {});
    return hosts.map(({ host, sessions }) => ({
      ...this.#judge(host),
      isRemote: this.#liveness.isRemote(host),
      sessions,
    }));
  }

  /** Reads into the search's index what is missing there. It also happens by itself, and slowly. */
  async completeIndex(): Promise<void> {
    while (!(await this.#ports.search.call("catchUp", { ms: 500 })));
  }

  /** Cleans the home. It also happens by itself, a minute after opening and then daily. */
  readonly sweep = (): Promise<void> => this.#sweeper.sweep();

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#heartbeat.stop();
    this.#sweeper.stop();
    this.#index.stop();
    this.#commands.close();
    await this.#ports.search.close();
    await this.#backend.close();
    this.#pieces.close();
  }

  #judge(host: HostEntry): Owner {
    if (this.#liveness.needsWatching(host)) this.#heartbeat.observe();
    return { hostId: host.id, pid: host.pid, alive: this.#liveness.isAlive(host) };
  }

  async #toRecord(found: SessionEntry): Promise<SessionRecord | undefined> {
    const entry = await freshEntry(this.#backend, found);
    return entry && recordOf(entry, entry.holder && this.#judge(entry.holder));
  }
}
