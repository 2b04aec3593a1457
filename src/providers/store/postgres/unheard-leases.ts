import { integer } from "./columns.ts";
import type { PostgresContext } from "./context.ts";
import { BURY_HOST, LOCK_HOST } from "./hosts.ts";
import { statement } from "./statement.ts";

/** $1 this host, $2 the sessions that it knows to be its own. */
const UNHEARD = statement(
  "unheard_leases",
  `SELECT s.key, s.fence FROM sessions s
   WHERE s.host = $1 AND NOT EXISTS (SELECT 1 FROM unnest($2::bigint[]) AS k (key) WHERE k.key = s.key)`,
);

/** $1 this host, $2 the name of a host that ended, $3 sessions and $4 the leases under which they are given back. */
const GIVE_BACK = statement(
  "give_back_leases",
  `
  WITH given AS (
    UPDATE sessions s SET host = $2 FROM unnest($3::bigint[], $4::bigint[]) AS u (key, fence)
    WHERE s.key = u.key AND s.fence = u.fence AND s.host = $1 RETURNING s.key
  ), commands_given AS (
    UPDATE commands c SET taken = NULL FROM given g WHERE c.session = g.key AND c.taken = $1 AND c.ok IS NULL
  )
  SELECT key FROM given
  `,
);

type Ports = Pick<PostgresContext, "sql" | "host" | "held">;

/**
 * The search for sessions that are this host's by the database without its knowing: the statement that took them arrived after the host
 * had given it up. Nobody would drive them for as long as it lives.
 */
export class UnheardLeases {
  readonly #ports: Ports;
  /** Those of the last look, with their fences. */
  #before: ReadonlyMap<number, number> = new Map();
  #count = 0;
  #isLooking = false;
  #stopped = false;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /**
   * Looks beside all else, one look at a time: giving back waits for whoever takes something for this host just now.
   *
   * @param given - there were some, and others may have them now
   */
  look(given: () => void): void {
    if (this.#isLooking || this.#stopped) return;
    this.#isLooking = true;
    void this.#giveBack()
      // The next look finds them too.
      .catch(() => false)
      .then((any) => {
        this.#isLooking = false;
        if (any && !this.#stopped) given();
      });
  }

  /** Nothing is given back any more. */
  stop(): void {
    this.#stopped = true;
  }

  /**
   * Gives back, under the name of a host that ended, what this host did not know of at the last look either: the answer to a statement
   * that takes one may be on its way. Says whether there was any.
   */
  async #giveBack(): Promise<boolean> {
    const { sql, host } = this.#ports;
    const rows = await sql.query(UNHEARD, [host.id, this.#known()]);
    const before = this.#before;
    this.#before = new Map(rows.map((row) => [integer(row, "key"), integer(row, "fence")]));
    const unheard = [...this.#before].filter(([key, fence]) => before.get(key) === fence);
    if (unheard.length === 0 || this.#stopped) return false;
    this.#count += 1;
    const name = `${host.id}~u${this.#count}`;
    const given = await sql.transaction(async (within) => {
      await within.query(LOCK_HOST, [host.id]);
      // It may have heard of some while it waited.
      const known = new Set(this.#known());
      const left = unheard.filter(([key]) => !known.has(key));
      if (left.length === 0 || this.#stopped) return [];
      await within.query(BURY_HOST, [host.id, name]);
      const [keys, fences] = [left.map(([key]) => key), left.map(([, fence]) => fence)];
      return within.query(GIVE_BACK, [host.id, name, keys, fences]);
    });
    return given.length > 0;
  }

  #known(): readonly number[] {
    return [...this.#ports.held.values()].map(({ key }) => key);
  }
}
