import { HostError } from "../../../shared/errors/host-error.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import type {
  HostEntry,
  StoreBackend,
  StoreEvent,
  StoreInput,
  StoreOperationName,
  StoreOperations,
} from "../operations.ts";
import { Appender } from "./append.ts";
import { claimBlob, namesBlob } from "./blobs.ts";
import { Changes } from "./changes.ts";
import { answerCommands, answererOf, CommandOutbox, keepOutCommand, withdrawCommand } from "./commands.ts";
import type { Connections } from "./connections.ts";
import type { HeldLease, LeaseTimes, PostgresContext } from "./context.ts";
import { branchSession, createSession, isOwn } from "./create-session.ts";
import { readFeed } from "./feed.ts";
import { databaseAway, unknownOutcome } from "./failure.ts";
import { endHost, forgetChild, forgetHost, listHosts, recordChild, takenLease, takeOver } from "./hosts.ts";
import { readLog, readLogBefore } from "./log.ts";
import type { Notices } from "./notices.ts";
import { persist } from "./persist.ts";
import { Presence } from "./presence.ts";
import { rebuildState } from "./rebuild-state.ts";
import { RecordRequests } from "./record-requests.ts";
import {
  claimRecords,
  expireRecords,
  listRecords,
  readRecord,
  removeRecord,
  renewRecord,
  trimRecords,
  writeRecord,
} from "./records.ts";
import { purgeRemovedSession, removeSession } from "./remove-session.ts";
import { findHolder, findSession, listSessions } from "./sessions.ts";
import { sweep } from "./sweep.ts";

/** An operation that waits for the database. */
type Operations = {
  readonly [Name in StoreOperationName]: (
    request: StoreInput<Name>,
    again: boolean,
  ) => ReturnType<StoreOperations[Name]> | Promise<ReturnType<StoreOperations[Name]>>;
};

/** Operations that may be carried out twice: they are tried again although the answer to the first time was lost. */
const REPEATABLE: ReadonlySet<StoreOperationName> = new Set<StoreOperationName>([
  "read",
  "readBefore",
  "feed",
  "findSession",
  "namesBlob",
  "list",
  "rebuildState",
  "saveRebuiltState",
  "answerer",
  "hosts",
  "readRecord",
  "listRecords",
  "holder",
  "answer",
  "forgetHost",
  "recordChild",
  "forgetChild",
  "renewRecord",
  // Each finds that it was carried out.
  "send",
  "writeRecord",
  "claimRecords",
  "create",
  "branch",
  "remove",
  "removeRecord",
  "takeOver",
  // Once more does no harm.
  "claimBlob",
  "trimRecords",
  "expireRecords",
  "purge",
  "sweep",
]);

/** Their answers come from this process, or they wait for the database in their own way. */
const OWN_WAY: ReadonlySet<StoreOperationName> = new Set<StoreOperationName>([
  "append",
  "watch",
  "unwatch",
  "listen",
  "stats",
  "beat",
]);

/** The parts that a backend is made of. */
export interface PostgresBackendParts {
  readonly sql: Connections;
  /** Those of the heartbeat; may be the same. */
  readonly beats: Connections;
  readonly host: HostEntry;
  readonly clock: Clock;
  readonly lease: LeaseTimes;
  readonly patienceMs: number;
  readonly notices: (listener: { heard: Changes["heard"]; deaf: () => void }) => Notices;
  readonly emit: (event: StoreEvent) => void;
  /** The time of the database, as it was at a moment of the monotonic clock. */
  readonly time: (now: number, at: number) => void;
}

/** A host of a database that machines share. */
export class PostgresBackend implements StoreBackend {
  readonly #context: PostgresContext;
  readonly #presence: Presence;
  readonly #appender: Appender;
  readonly #changes: Changes;
  readonly #notices: Notices;
  readonly #commands: CommandOutbox;
  readonly #operations: Operations;
  #closing: Promise<void> | undefined;

  constructor({ sql, beats, host, clock, lease, patienceMs, notices, emit, time }: PostgresBackendParts) {
    const held = new Map<string, HeldLease>();
    const context: PostgresContext = {
      sql,
      beats,
      host,
      clock,
      lease,
      patienceMs,
      held,
      requests: new RecordRequests(host.id),
      register: () => this.#presence.register(),
      announce: (what) => this.#announce(what),
      lookForCommands: () => this.#changes.lookForCommands(),
    };
    this.#context = context;
    this.#presence = new Presence(context, {
      lost: () => emit({ type: "lost" }),
      buried: () => emit({ type: "buried" }),
      epochRose: () => this.#appender.saveAgain(),
      time,
    });
    this.#appender = new Appender({ ...context, presence: this.#presence });
    this.#commands = new CommandOutbox(context);
    this.#changes = new Changes(context, emit, () => this.#notices.hears);
    this.#notices = notices({
      heard: (kind, id) => this.#changes.heard(kind, id),
      deaf: () => this.#changes.look(),
    });
    this.#operations = this.#table();
  }

  /** This host's word has run out, and the database does not answer yet. */
  get isLost(): boolean {
    return this.#presence.isLost;
  }

  call: StoreBackend["call"] = async (name, request) => {
    if (this.#closing !== undefined) throw new HostError("store_unavailable", "The store is closed.");
    const operation = this.#operations[name];
    // Who asks must not change what is under way.
    if (OWN_WAY.has(name)) return operation(request, false);
    const answer = await persist(this.#presence, async (again) => {
      if (again && !REPEATABLE.has(name)) throw unknownOutcome(this.#context.sql.where);
      return operation(request, again);
    });
    if (answer === "lost") throw databaseAway(this.#context.sql.where);
    return answer;
  };

  /** Resolves once this host hears the others, and knows the database's time. */
  async opened(): Promise<void> {
    // The heartbeat's connection is there before the database may have no more of them.
    await Promise.all([this.#presence.readTime(), this.#context.beats.way()]);
    await this.#notices.start();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Ends without giving anything back, as a process that is killed. */
  async crash(): Promise<void> {
    this.#closing ??= Promise.resolve();
    this.#presence.stop();
    await Promise.all([this.#changes.close(), this.#notices.close()]);
    await this.#disconnect();
  }

  async #close(): Promise<void> {
    this.#presence.stop();
    await this.#changes.close();
    await this.#appender.idle();
    // Who cannot say goodbye is found dead later.
    if (this.#presence.isRegistered) await endHost(this.#context).catch(() => undefined);
    await this.#notices.close();
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const { sql, beats } = this.#context;
    await Promise.all([sql.close(), beats.close()]);
  }

  #announce(what: Parameters<PostgresContext["announce"]>[0]): void {
    for (const [kind, id] of Object.entries(what)) this.#notices.send(kind as keyof typeof what, id);
  }

  #table(): Operations {
    const context = this.#context;
    return {
      append: (request) => this.#appender.append(request),
      create: async (request, again) =>
        (await createSession(context, request)) || (again && isOwn(context, request)),
      branch: async (request, again) =>
        (await branchSession(context, request)) || (again && isOwn(context, request)),
      remove: async (request, again) => {
        const result = await removeSession(context, request);
        return again && result.holder === undefined ? { removed: true } : result;
      },
      purge: () => purgeRemovedSession(context),
      read: (request) => readLog(context, request),
      readBefore: (request) => readLogBefore(context, request),
      feed: (request) => readFeed(context, request),
      findSession: (request) => findSession(context, request),
      namesBlob: (request) => namesBlob(context, request),
      list: (request) => listSessions(context, request),
      rebuildState: (request) => rebuildState(context, request),
      // It is stored as soon as it is made.
      saveRebuiltState: () => undefined,
      watch: ({ session }) => this.#changes.watch(session),
      unwatch: ({ session }) => this.#changes.unwatch(session),
      listen: () => this.#changes.listen(),
      send: (request, again) => this.#send(request, again),
      answer: async (request, again) => {
        const withdrawn = await answerCommands(context, request);
        for (const { id } of request.results) this.#changes.answered(id);
        // What the try before has answered may be read and gone.
        return again ? [] : withdrawn;
      },
      answerer: (request) => answererOf(context, request),
      withdraw: async (request) => {
        const result = await withdrawCommand(context, request);
        if (!result.open) this.#changes.forget(request.id);
        return result;
      },
      beat: () => this.#presence.beat(),
      hosts: () => listHosts(context),
      forgetHost: (request) => forgetHost(context, request),
      takeOver: async (request, again) =>
        (await takeOver(context, request)) ?? (again ? await takenLease(context, request) : undefined),
      holder: (request) => findHolder(context, request),
      recordChild: (request) => recordChild(context, request),
      forgetChild: (request) => forgetChild(context, request),
      readRecord: (request) => readRecord(context, request),
      writeRecord: (request) => writeRecord(context, request),
      removeRecord: (request) => removeRecord(context, request),
      listRecords: (request) => listRecords(context, request),
      renewRecord: (request) => renewRecord(context, request),
      trimRecords: (request) => trimRecords(context, request),
      claimRecords: (request) => claimRecords(context, request),
      expireRecords: (request) => expireRecords(context, request),
      claimBlob: (request) => claimBlob(context, request),
      sweep: (request) => sweep(context, request),
      stats: () => this.#appender.counts,
    };
  }

  async #send(request: StoreInput<"send">, again: boolean): Promise<HostEntry | undefined> {
    const { id } = request.command;
    this.#changes.expect(id);
    const found = await this.#commands.send(request);
    const holder = found ?? (again ? await keepOutCommand(this.#context, request) : undefined);
    if (holder === undefined) this.#changes.forget(id);
    return holder;
  }
}
