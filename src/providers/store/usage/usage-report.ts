import type {
  NamedUsage,
  Spread,
  UsagePart,
  UsageQuery,
  UsageReport,
  UsageSums,
} from "../../../core/index.ts";
import { integer, nullableText, type ResultRow, text } from "../sqlite/columns.ts";
import type { Database } from "../sqlite/database.ts";

/** The sessions of a home, which a report looks up. */
export interface ReportedLog {
  readonly database: Database;
  /** The schema in which the log's tables are. */
  readonly schema: string;
}

/** Adds up the usage of a home, the turns in the order of their times, each once. */
export function usageReport(
  { database, schema }: ReportedLog,
  { bounds }: UsageQuery,
): Omit<UsageReport, "complete"> {
  const owners = new SessionOwners({ database, schema });
  const [total, totalTimes] = [new Group(), new Times()];
  const kinds = {
    models: new Groups(),
    surfaces: new Groups(),
    folders: new Groups(),
    people: new Groups(),
    personas: new Groups(),
  };
  const parts = bounds.slice(1).map((until, at): UsagePart => {
    const since = bounds[at] ?? until;
    const part = new Group();
    for (const row of database.each(TURNS, since, until)) {
      const { session, surface, folder, person } = owners.of(row);
      const [models, model] = [integer(row, "models"), text(row, "model")];
      for (const group of [part, total, kinds.surfaces.named(surface), kinds.folders.named(folder)])
        group.add(row, session);
      kinds.people.named(person).add(row, session);
      kinds.personas.named(text(row, "persona")).add(row, session);
      if (model !== "" || integer(row, "calls") > 0) kinds.models.named(model).add(row, session, models);
    }
    const times = new Times().read(database, since, until);
    totalTimes.add(times);
    return { ...part.sums, since, ...times.spreads };
  });
  const damaged = `SELECT count(*) AS count FROM ${schema}.sessions WHERE id IS NOT NULL AND damaged_at IS NOT NULL`;
  return {
    total: { ...total.sums, since: bounds[0] ?? 0, ...totalTimes.spreads },
    parts,
    models: kinds.models.list,
    surfaces: kinds.surfaces.list,
    folders: kinds.folders.list,
    people: kinds.people.list,
    personas: kinds.personas.list,
    damaged: database.integer("count", damaged),
  };
}

/** A row for each session, person, persona and model of a stretch of time. */
const TURNS = `
  SELECT session, person, persona, model, sum(turns) AS turns, count(*) AS models, sum(calls) AS calls, sum(input) AS input,
    sum(output) AS output, sum(reasoning) AS reasoning, sum(cache_read) AS cache_read, sum(cost) AS cost,
    sum(unpriced) AS unpriced
  FROM usage_turns WHERE at >= ? AND at < ? GROUP BY session, person, persona, model`;

/** How long answers and questions took. */
class Times {
  readonly #answers: number[] = [];
  readonly #waits: number[] = [];
  #questions = 0;

  /** Adds those of a stretch of time. */
  read(database: Database, since: number, until: number): this {
    // As one text: so many rows of their own would cost more than all the rest.
    const times = (table: string): readonly number[] => {
      const sql = `SELECT json_group_array(took) AS times FROM ${table} WHERE at >= ? AND at < ? AND took IS NOT NULL`;
      return JSON.parse(text(database.one(sql, since, until) ?? {}, "times")) as readonly number[];
    };
    const questions = "SELECT count(*) AS count FROM usage_questions WHERE at >= ? AND at < ?";
    for (const took of times("usage_turns")) this.#answers.push(took);
    for (const took of times("usage_questions")) this.#waits.push(took);
    this.#questions += database.integer("count", questions, since, until);
    return this;
  }

  add(times: Times): void {
    for (const took of times.#answers) this.#answers.push(took);
    for (const took of times.#waits) this.#waits.push(took);
    this.#questions += times.#questions;
  }

  get spreads(): Pick<UsagePart, "answers" | "questions" | "waits"> {
    const [answers, waits] = [spreadOf(this.#answers), spreadOf(this.#waits)];
    return { questions: this.#questions, ...(answers && { answers }), ...(waits && { waits }) };
  }
}

function spreadOf(times: readonly number[]): Spread | undefined {
  const { length: count } = times;
  const sorted = Float64Array.from(times).sort();
  const at = (share: number): number => sorted[Math.ceil(share * count) - 1] ?? 0;
  return count === 0 ? undefined : { count, median: at(0.5), late: at(0.95) };
}

/** The session that a row counts to, and what is known of it. */
interface Owner {
  readonly session: number;
  readonly surface: string;
  readonly folder: string;
  readonly person: string;
}

/** Of each session the one that it works for: its own for a person's. */
class SessionOwners {
  readonly #log: ReportedLog;
  readonly #known = new Map<number, Omit<Owner, "person"> & { readonly person?: string }>();

  constructor(log: ReportedLog) {
    this.#log = log;
  }

  of(row: ResultRow): Owner {
    const session = integer(row, "session");
    const owner = this.#known.get(session) ?? this.#find(session);
    this.#known.set(session, owner);
    return { person: text(row, "person"), ...owner };
  }

  #find(session: number): Omit<Owner, "person"> & { readonly person?: string } {
    const { database, schema } = this.#log;
    const lookUp = "SELECT surface, folder, parent FROM usage_sessions WHERE session = ?";
    const row = database.one(lookUp, session);
    if (row === undefined) return { session, surface: "", folder: "" };
    const [surface, folder, parent] = [
      text(row, "surface"),
      text(row, "folder"),
      nullableText(row, "parent"),
    ];
    if (parent === undefined) return { session, surface, folder };
    const found = database.one(`SELECT key FROM ${schema}.sessions WHERE id = ?`, parent);
    // Its parent was deleted, or is itself: then it stands alone.
    const key = found === undefined ? session : integer(found, "key");
    if (key === session) return { session, surface, folder };
    const owner = this.#known.get(key) ?? this.#find(key);
    return { ...owner, person: owner.person ?? this.#personIn(owner.session) };
  }

  #personIn(session: number): string {
    const newest = "SELECT person FROM usage_turns WHERE session = ? ORDER BY seq DESC LIMIT 1";
    const row = this.#log.database.one(newest, session);
    return row === undefined ? "" : text(row, "person");
  }
}

/** Sums that grow. */
class Group {
  readonly #sums = {
    turns: 0,
    calls: 0,
    input: 0,
    output: 0,
    reasoning: 0,
    cacheRead: 0,
    cost: 0,
    unpriced: 0,
  };
  readonly #sessions = new Set<number>();

  get sums(): UsageSums {
    return { sessions: this.#sessions.size, ...this.#sums };
  }

  /** @param models - the turns that used a model, where they are counted by model */
  add(row: ResultRow, session: number, models?: number): void {
    const sums = this.#sums;
    sums.turns += models ?? integer(row, "turns");
    sums.calls += integer(row, "calls");
    sums.input += integer(row, "input");
    sums.output += integer(row, "output");
    sums.reasoning += integer(row, "reasoning");
    sums.cacheRead += integer(row, "cache_read");
    sums.cost += Number(row["cost"]);
    sums.unpriced += integer(row, "unpriced");
    this.#sessions.add(session);
  }
}

/** Groups by their names. */
class Groups {
  readonly #groups = new Map<string, Group>();

  named(name: string): Group {
    const known = this.#groups.get(name) ?? new Group();
    this.#groups.set(name, known);
    return known;
  }

  get list(): readonly NamedUsage[] {
    return [...this.#groups]
      .map(([name, { sums }]) => ({ name, ...sums }))
      .toSorted((a, b) => b.input + b.output - (a.input + a.output) || b.turns - a.turns);
  }
}
