import {
  decodeRow,
  type Host,
  type Row,
  type SessionRecord,
  type StoredRow,
  type Usage,
} from "../../core/index.ts";
import { activeSessions } from "../../app/usage/active-sessions.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { originWords } from "../../shared/text/origin-words.ts";

/** The sums of one line of a report. */
export interface UsageSums {
  sessions: number;
  turns: number;
  calls: number;
  input: number;
  output: number;
  reasoning: number;
  cacheRead: number;
  /** US dollars of the calls whose price is known. */
  cost: number;
  /** Calls whose price is not known. */
  unpriced: number;
}

/** The usage of a home, added up in several ways. */
export interface UsageReport {
  readonly total: UsageSums;
  readonly days: Map<string, UsageSums>;
  readonly models: Map<string, UsageSums>;
  readonly surfaces: Map<string, UsageSums>;
  readonly folders: Map<string, UsageSums>;
  /** Sessions of which a part cannot be read. */
  damaged: number;
}

/** Rows that are in memory at once. */
const ROWS = 400;

const nothing = (): UsageSums => ({
  sessions: 0,
  turns: 0,
  calls: 0,
  input: 0,
  output: 0,
  reasoning: 0,
  cacheRead: 0,
  cost: 0,
  unpriced: 0,
});

/**
 * Adds up what all sessions used, by what their logs say.
 *
 * @param since - Unix milliseconds; what was before does not count
 */
export async function usageReport({ services: { store } }: Host, since: number): Promise<UsageReport> {
  const report: UsageReport = {
    total: nothing(),
    days: new Map(),
    models: new Map(),
    surfaces: new Map(),
    folders: new Map(),
    damaged: 0,
  };
  for await (const record of activeSessions(store, since)) await addSession(report, record, { store, since });
  return report;
}

async function addSession(
  report: UsageReport,
  { id, state }: SessionRecord,
  { store, since }: { readonly store: Host["services"]["store"]; readonly since: number },
): Promise<void> {
  const log = new LogSums(since);
  for (let after = 0; ;) {
    const page = await store.read(id, { after, limit: ROWS });
    for (const row of page?.rows ?? []) log.add(row);
    if (page?.damagedAt !== undefined) report.damaged += 1;
    after = page?.rows.at(-1)?.seq ?? after;
    if (page === undefined || !page.more || page.rows.length === 0 || page.damagedAt !== undefined) break;
  }
  if (log.total.turns + log.total.calls === 0) return;
  // A subagent's session and its turns are part of another's.
  const own = state.depth === 0;
  const surface = originWords(state) || "chat";
  for (const [groups, sums] of [
    [report.days, log.days],
    [report.models, log.models],
    [report.surfaces, new Map([[surface, log.total]])],
    [report.folders, new Map([[state.cwd, log.total]])],
  ] as const)
    for (const [name, each] of sums) merge(sumsOf(groups, name), each, own);
  merge(report.total, log.total, own);
}

/** The sums of one session's log, of which rows are given in their order. */
class LogSums {
  readonly #since: number;
  total = nothing();
  days = new Map<string, UsageSums>();
  models = new Map<string, UsageSums>();
  #model = "";
  /** Models that the present turn used. */
  readonly #ofTurn = new Set<string>();

  constructor(since: number) {
    this.#since = since;
  }

  add(stored: StoredRow): void {
    if (!COUNTS.has(stored.type)) return;
    const { event, at } = decodeRow(stored);
    if (event.type === "session.branch" || event.type === "session.import") return this.#forget();
    if (event.type === "turn.start") this.#ofTurn.clear();
    if (event.type === "reply.complete") this.#model = `${event.provider}:${event.model}`;
    if (at < this.#since) return;
    const usage = usageIn(event);
    const day = sumsOf(this.days, dayOf(at));
    if (event.type === "turn.start") {
      day.turns += 1;
      this.total.turns += 1;
    } else if (usage !== undefined) {
      const model = sumsOf(this.models, this.#model);
      if (event.type === "reply.complete" && !this.#ofTurn.has(this.#model)) {
        this.#ofTurn.add(this.#model);
        model.turns += 1;
      }
      for (const sums of [day, model, this.total]) addCalls(sums, usage);
    }
  }

  /** Rows before this one are the copy of another session's log. */
  #forget(): void {
    this.total = nothing();
    this.days = new Map();
    this.models = new Map();
  }
}

/** What its subagents used stands in their own logs. */
const COUNTS: ReadonlySet<string> = new Set<Row["event"]["type"]>([
  "session.branch",
  "session.import",
  "turn.start",
  "reply.complete",
  "history.compress",
  "history.compress_failed",
]);

function usageIn(event: Row["event"]): Usage | undefined {
  const counts =
    event.type === "reply.complete" ||
    event.type === "history.compress" ||
    event.type === "history.compress_failed";
  return counts ? event.usage : undefined;
}

function addCalls(sums: UsageSums, { calls, input, output, reasoning, cacheRead, cost }: Usage): void {
  sums.calls += calls;
  sums.input += input;
  sums.output += output;
  sums.reasoning += reasoning;
  sums.cacheRead += cacheRead;
  sums.cost += cost ?? 0;
  if (cost === undefined) sums.unpriced += calls;
}

/** @param own - it counts as a session with turns of its own */
function merge(into: UsageSums, sums: UsageSums, own: boolean): void {
  into.sessions += own ? 1 : 0;
  into.turns += own ? sums.turns : 0;
  into.calls += sums.calls;
  into.input += sums.input;
  into.output += sums.output;
  into.reasoning += sums.reasoning;
  into.cacheRead += sums.cacheRead;
  into.cost += sums.cost;
  into.unpriced += sums.unpriced;
}

function sumsOf(groups: Map<string, UsageSums>, name: string): UsageSums {
  const known = groups.get(name) ?? nothing();
  groups.set(name, known);
  return known;
}

/** The day as the calendar here has it: `2026-11-22`. */
const dayOf = (at: number): string => localTime(at).slice(0, 10);
