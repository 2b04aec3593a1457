import { EMPTY_STATE, type SessionState, decodeRow, fold } from "../../../core/index.ts";
import { encodeStateEntry } from "../state-entry.ts";
import { isDamage } from "./failure.ts";
import { readLogPage } from "./log.ts";
import { findSession, markDamaged, storeState, updateSession } from "./sessions.ts";
import type { OperationContext } from "./operation-context.ts";

/** Rows folded in one step, so that other requests get their turn in between. */
const STEP = 500;

interface Folding {
  readonly key: number;
  readonly state: SessionState;
  readonly damagedAt: number | undefined;
}

/** A rebuilder of stored states from the rows, for states of another version and damaged ones. */
export class StateRebuilder {
  readonly #context: OperationContext;
  readonly #folding = new Map<string, Folding>();

  constructor(context: OperationContext) {
    this.#context = context;
  }

  /** Folds the next rows; `true` at the end of the readable log, or when there is no such session. */
  some(id: string): boolean {
    const session = findSession(this.#context.database, id);
    if (session === undefined) return true;
    const known = this.#folding.get(id);
    let state = known?.key === session.key ? known.state : EMPTY_STATE;
    // The stored head may be wrong: the last row tells where the log ends.
    const head = this.#end(session.key) ?? session.head;
    const page = readLogPage(this.#context, { ...session, head }, { after: state.seq, limit: STEP });
    let { damagedAt } = page;
    for (const row of page.rows) {
      try {
        state = fold(state, decodeRow(row));
      } catch (thrown) {
        if (!isDamage(thrown)) throw thrown;
        damagedAt = row.n;
        break;
      }
    }
    this.#folding.set(id, { key: session.key, state, damagedAt });
    return !page.more || damagedAt !== undefined;
  }

  /** Stores what was folded, unless the session has moved on since; then its newest state is sound already. */
  save(id: string): void {
    const { database } = this.#context;
    const folded = this.#folding.get(id);
    this.#folding.delete(id);
    const session = findSession(database, id);
    if (folded === undefined || session === undefined || session.key !== folded.key) return;
    const { key, state, damagedAt } = folded;
    const entry = encodeStateEntry(state, false);
    if (damagedAt === undefined) {
      if (this.#end(key)?.seq === state.seq) updateSession(database, { key, id }, entry);
      return;
    }
    // The log goes on behind the damage: its head stays, and the state is that of the readable prefix.
    storeState(database, { key, id }, { ...entry, ...session.head });
    markDamaged(database, key, damagedAt);
  }

  #end(key: number): { readonly n: number; readonly seq: number } | undefined {
    const row = this.#context.database.one(
      "SELECT n, seq FROM rows WHERE session = ? ORDER BY seq DESC LIMIT 1",
      key,
    );
    const { n, seq } = row ?? {};
    return typeof n === "number" && typeof seq === "number" ? { n, seq } : undefined;
  }
}
