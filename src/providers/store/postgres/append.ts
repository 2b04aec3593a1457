import { HostError, toHostError } from "../../../shared/errors/host-error.ts";
import type { AppendOutcome, EncodedAppend } from "../operations.ts";
import { AppendGroups, type AppendKind } from "./append-groups.ts";
import { appendValues, askedPieces, beginValues, endChecksum } from "./append-input.ts";
import { APPEND, BEGIN, HOLD, SAVE_PIECES } from "./append-statement.ts";
import { integer, nullableInteger, type ResultRow, storedText, text, textList } from "./columns.ts";
import type { HeldLease, PostgresContext } from "./context.ts";
import { blobGone, databaseAway, PassingFailure, unknownOutcome } from "./failure.ts";
import { findHolder } from "./sessions.ts";
import { persist } from "./persist.ts";
import type { Presence } from "./presence.ts";
import { saveAgain, type TextToKeep } from "./save-again.ts";

type Ports = PostgresContext & { readonly presence: Presence };

/** The epoch is to be asked for before the next append. */
const UNMINDED = -1;

/** The outcome of an append, or why it failed: the others of its group may be committed. */
type Answer = AppendOutcome | HostError;

function orThrow(answer: Answer): AppendOutcome {
  if (answer instanceof HostError) throw answer;
  return answer;
}

/** The appender of a host: it groups the appends of its sessions, and keeps what it holds. */
export class Appender {
  readonly #context: Ports;
  readonly #groups: AppendGroups<Answer>;
  readonly #underWay = new Set<Promise<unknown>>();
  /** Text that a crash may have taken, until the database has it again. */
  #owed: readonly TextToKeep[] = [];
  #savingAgain: Promise<void> | undefined;
  /** Appends that may have been carried out: their answers were lost. */
  readonly #unanswered = new WeakSet<EncodedAppend>();
  /** The changes of connections when the epoch was last asked for. */
  #minded = UNMINDED;
  readonly counts = { appends: 0, commits: 0, syncs: 0 };

  constructor(context: Ports) {
    this.#context = context;
    this.#groups = new AppendGroups({
      kindOf: (request) => (this.#isText(request) ? "text" : "rows"),
      carryOut: (kind, group) => this.#carryOut(kind, group),
    });
  }

  append(request: EncodedAppend): Promise<AppendOutcome> {
    const outcome = request.creates === true ? this.#begin(request) : this.#groups.add(request).then(orThrow);
    this.#underWay.add(outcome);
    const over = (): void => void this.#underWay.delete(outcome);
    outcome.then(over, over);
    return outcome;
  }

  /** Saves the text of replies that stream again: what the database lost of it comes back, and what it has stays. */
  saveAgain(): void {
    this.#owed = [...this.#context.held.values()].flatMap(({ key, fence, pieces }) =>
      pieces.map(({ cursor, kind, text: said }) => ({ key, fence, cursor, kind, text: storedText(said) })),
    );
    // What cannot be saved now is saved before whatever comes next.
    if (this.#owed.length > 0) this.#saveOwed().catch(() => undefined);
  }

  #saveOwed(): Promise<void> {
    const owed = this.#owed;
    this.#savingAgain ??= saveAgain(this.#context.sql, owed)
      .then(() => {
        if (this.#owed === owed) this.#owed = [];
      })
      .finally(() => (this.#savingAgain = undefined));
    return this.#savingAgain;
  }

  /**
   * Text that a crash took comes back before any that follows it: a reader that sees what follows never looks back. Whether there was
   * a crash is asked whenever the connections have changed; one that is made only now finds it by the epoch that each append names.
   */
  async #mindEpoch(): Promise<void> {
    const { sql, presence } = this.#context;
    const { changes } = sql;
    if (changes !== this.#minded) {
      await presence.readTime();
      this.#minded = changes;
    }
    while (this.#owed.length > 0) await this.#saveOwed();
  }

  /** Resolves when no append is under way. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  /** Text of a lease that is held, within the cursors that are reserved: it need not wait for the disk. */
  #isText({ session, fence, rows, results, pieces, clearPieces, release, blobs }: EncodedAppend): boolean {
    const last = pieces.at(-1);
    if (last === undefined || fence === undefined || clearPieces || release) return false;
    if (rows.length > 0 || results.length > 0 || blobs.length > 0) return false;
    const lease = this.#context.held.get(session);
    return lease?.fence === fence && last.cursor + last.text.length <= lease.reserved;
  }

  async #carryOut(kind: AppendKind, group: readonly EncodedAppend[]): Promise<readonly Answer[]> {
    if (this.#context.presence.isLost) return group.map((request) => this.#lost(request));
    const outcomes = kind === "text" ? await this.#saveText(group) : await this.#appendAll(group);
    for (const [index, outcome] of outcomes.entries()) {
      const request = group[index];
      if (request !== undefined && "status" in outcome && outcome.status === "ok") this.#announce(request);
    }
    return outcomes;
  }

  /** A host whose word has run out holds nothing any more, whatever the database says. */
  #lost({ fence }: EncodedAppend): AppendOutcome {
    if (fence !== undefined) return { status: "fenced" };
    throw databaseAway(this.#context.sql.where);
  }

  async #saveText(group: readonly EncodedAppend[]): Promise<readonly Answer[]> {
    const { sql, host, held, presence } = this.#context;
    const leases = group.map(({ session }) => held.get(session));
    const asked = group.flatMap((request, i) => {
      const lease = leases[i];
      if (lease === undefined) return [];
      const { n, seq } = request.after;
      return askedPieces(request, i).map((piece) => ({
        ...piece,
        key: lease.key,
        fence: lease.fence,
        n,
        seq,
      }));
    });
    const rows = await persist(presence, async () => {
      await this.#mindEpoch();
      if (presence.isLost) return "lost";
      return sql.query(SAVE_PIECES, [host.id, JSON.stringify(asked), presence.epoch]);
    });
    if (rows === "lost") return group.map((request) => this.#lost(request));
    this.counts.commits += 1;
    const saved = new Set(rows.map((row) => integer(row, "i")));
    for (const i of saved) {
      this.counts.appends += 1;
      leases[i]?.pieces.push(...(group[i]?.pieces ?? []));
    }
    // Why one may not go on is for the other statement to say.
    const refused = group.filter((_request, i) => !saved.has(i));
    const judged = refused.length === 0 ? [] : await this.#appendAll(refused);
    const next = judged[Symbol.iterator]();
    return group.map((request, i) =>
      saved.has(i) ? { status: "ok", fence: request.fence } : (next.next().value ?? { status: "moved" }),
    );
  }

  async #appendAll(group: readonly EncodedAppend[]): Promise<readonly Answer[]> {
    const { sql, host, presence, held } = this.#context;
    let registrations = 0;
    const isAgain = (request: EncodedAppend): boolean => this.#unanswered.has(request);
    const send = async (): Promise<readonly ResultRow[] | "lost"> => {
      await this.#mindEpoch();
      if (presence.isLost) return "lost";
      const values = appendValues(group, { host: host.id, epoch: presence.epoch, isAgain, held });
      registrations = presence.registrations;
      if (!group.some(isAgain)) return sql.query(APPEND, values);
      return sql.transaction(async (within) => {
        await within.query(HOLD, [group.map(({ session }) => storedText(session))]);
        return within.query(APPEND, values);
      });
    };
    const rows = await persist(presence, (again) => {
      if (again) for (const request of group) this.#unanswered.add(request);
      return group.some(isAgain) ? send().catch((thrown: unknown) => this.#failedAgain(thrown)) : send();
    });
    if (rows === "lost") return group.map((request) => this.#lost(request));
    if (rows.some((row) => row["decision"] === "unknown host")) presence.forgotten(registrations);
    this.counts.commits += 1;
    this.counts.syncs += 1;
    const byIndex = new Map(rows.map((row) => [integer(row, "i"), row]));
    const judged = group.map((request, i) => this.#outcome(request, byIndex.get(i)));
    return Promise.all(judged.map((outcome) => outcome.catch((thrown: unknown) => toHostError(thrown))));
  }

  async #outcome(request: EncodedAppend, row: ResultRow | undefined): Promise<Answer> {
    const { held, register, sql, host } = this.#context;
    if (row === undefined) return { status: "gone" };
    const { session } = request;
    switch (row["decision"]) {
      case "go":
      case "take":
      case "done": {
        this.counts.appends += 1;
        const fence = this.#note(request, row);
        const withdrawn = row["decision"] === "done" ? [] : textList(row, "withdrawn");
        return { status: "ok", fence, ...(withdrawn.length > 0 && { withdrawn }) };
      }
      case "withdrawn":
        return { status: "withdrawn", commands: textList(row, "withdrawn") };
      case "unknown host":
      case "crashed":
        if (row["decision"] === "crashed") this.#minded = UNMINDED;
        else await register();
        return (await this.#appendAll([request]))[0] ?? { status: "moved" };
      case "moved":
        return { status: "moved" };
      case "no blob":
        return blobGone(request.session);
      case "owned": {
        const holder = await findHolder(this.#context, { session });
        if (holder === undefined || holder.id === host.id) return { status: "moved" };
        return { status: "owned", holder };
      }
      case "fenced":
        if (row["host"] !== host.id) held.delete(session);
        return { status: "fenced" };
      default:
        throw new HostError("internal", `The database ${sql.where} decided ${text(row, "decision")}.`);
    }
  }

  /** Why it cannot be done again says nothing about the try before, whose answer was lost. */
  #failedAgain(thrown: unknown): never {
    if (thrown instanceof PassingFailure) throw thrown;
    throw unknownOutcome(this.#context.sql.where, thrown);
  }

  /** Keeps what this host holds now, and gives its fence; none when another host has the session by now. */
  #note(request: EncodedAppend, row: ResultRow): number | undefined {
    const { held, lookForCommands } = this.#context;
    const { session, reserve, clearPieces, pieces, release } = request;
    const fence = release ? undefined : nullableInteger(row, "fence");
    if (fence === undefined) {
      held.delete(session);
      return undefined;
    }
    const key = integer(row, "key");
    const before = held.get(session);
    const lease: HeldLease = before?.fence === fence ? before : { key, fence, reserved: 0, pieces: [] };
    lease.reserved = Math.max(lease.reserved, reserve);
    if (clearPieces) lease.pieces.length = 0;
    lease.pieces.push(...pieces);
    held.set(session, lease);
    if (row["commands"] === true) lookForCommands();
    return fence;
  }

  async #begin(request: EncodedAppend, again = false): Promise<AppendOutcome> {
    const { sql, host, presence, register } = this.#context;
    const values = beginValues(host.id, request);
    if (values === undefined) return { status: "exists" };
    if (!request.release && !presence.isRegistered) await register();
    let wasSent = again;
    let registrations = 0;
    const answer = await persist(presence, (repeated) => {
      wasSent ||= repeated;
      registrations = presence.registrations;
      const begun = sql.query(BEGIN, values);
      return wasSent ? begun.catch((thrown: unknown) => this.#failedAgain(thrown)) : begun;
    });
    if (answer === "lost") return this.#lost(request);
    const [row] = answer;
    if (row === undefined) return { status: "exists" };
    if (nullableInteger(row, "key") === undefined) {
      if (row["blobless"] === true && nullableInteger(row, "there_key") === undefined)
        throw blobGone(request.session);
      if (nullableInteger(row, "there_key") === undefined && row["known"] === false) {
        presence.forgotten(registrations);
        await register();
        return this.#begin(request, wasSent);
      }
      // The one before was still at it as this one looked: what it wrote is seen by the next.
      if (wasSent && nullableInteger(row, "there_key") === undefined) return this.#begin(request, true);
      if (!wasSent || nullableInteger(row, "there") !== endChecksum(request)) return { status: "exists" };
      return this.#begun(request, { key: row["there_key"], fence: row["there_fence"] });
    }
    return this.#begun(request, row);
  }

  #begun(request: EncodedAppend, row: ResultRow): AppendOutcome {
    this.counts.appends += 1;
    this.counts.commits += 1;
    this.counts.syncs += 1;
    const fence = this.#note(request, row);
    this.#announce(request);
    return { status: "ok", fence };
  }

  #announce({ session, rows, pieces, results, clearPieces }: EncodedAppend): void {
    const { announce } = this.#context;
    if (rows.length > 0 || pieces.length > 0 || clearPieces) announce({ moved: session });
    for (const { id } of results) announce({ settled: id });
  }
}
