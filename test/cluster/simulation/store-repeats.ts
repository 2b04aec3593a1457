import type {
  AppendOutcome,
  EncodedAppend,
  StoreInput,
  StoreOperations,
} from "../../../src/providers/store/operations.ts";
import type { MemoryBackend } from "../../../src/providers/store/memory/memory-backend.ts";
import { integer, nullableText, text } from "../../../src/providers/store/sqlite/columns.ts";

/**
 * Carries an append out, unless that was done before and only the answer was lost: then it is answered again. As the statement of a
 * database that machines share, which looks for the row that the append wrote.
 *
 * @param isUnheard - the host does not know that it has the session
 */
export async function repeatAppend(
  home: MemoryBackend,
  request: EncodedAppend,
  isUnheard: boolean,
): Promise<AppendOutcome> {
  const { database, host } = home.context;
  const { session, rows, pieces, release } = request;
  const found = database.one(
    `SELECT s.key, l.host, l.fence FROM sessions s LEFT JOIN leases l ON l.session = s.key WHERE s.id = ?`,
    session,
  );
  if (found === undefined) return await home.call("append", request);
  const key = integer(found, "key");
  const row = rows.at(-1);
  const piece = pieces.at(-1);
  const wrote =
    row === undefined
      ? piece !== undefined &&
        database.one("SELECT 1 FROM pieces WHERE session = ? AND cursor = ?", key, piece.cursor) !== undefined
      : database.one(
          "SELECT 1 FROM rows WHERE session = ? AND seq = ? AND n = ? AND at = ? AND body = ?",
          key,
          row.seq,
          row.n,
          row.at,
          row.body,
        ) !== undefined;
  const holds = nullableText(found, "host") === host.id;
  const gaveBack = row === undefined && piece === undefined && release && !holds;
  if (!wrote && !gaveBack) {
    // A lease that it took without a row is this host's and unheard of: it is taken once more.
    const fenceTaken =
      request.fence === undefined && row === undefined && holds && isUnheard
        ? integer(found, "fence")
        : undefined;
    const outcome = await home.call("append", { ...request, fence: request.fence ?? fenceTaken });
    // What the try before has answered may be read and gone.
    return outcome.status === "ok" ? { status: "ok", fence: outcome.fence } : outcome;
  }
  if (release) return { status: "ok", fence: undefined };
  const fence = integer(found, "fence");
  const isOwn = holds && (request.fence === undefined || request.fence === fence);
  if (isOwn) return { status: "ok", fence };
  // Its rows are in the log, whoever has the session by now.
  return row === undefined ? { status: "fenced" } : { status: "ok", fence: undefined };
}

/** Takes a session over, unless that was done before and only the answer was lost: then it has it. */
export async function repeatTakeOver(
  home: MemoryBackend,
  request: StoreInput<"takeOver">,
): Promise<ReturnType<StoreOperations["takeOver"]>> {
  const { database, host } = home.context;
  const own = database.one(
    "SELECT l.fence, l.reserved FROM leases l JOIN sessions s ON s.key = l.session WHERE s.id = ? AND l.host = ?",
    request.session,
    host.id,
  );
  if (own === undefined) return await home.call("takeOver", request);
  return { fence: integer(own, "fence"), reserved: integer(own, "reserved") };
}

/** The sessions that are a host's own by the home, with the fences of their leases. */
export function leasesOf(home: MemoryBackend): ReadonlyMap<string, number> {
  const { database, host } = home.context;
  const rows = database.all(
    "SELECT s.id, l.fence FROM leases l JOIN sessions s ON s.key = l.session WHERE l.host = ? ORDER BY s.key",
    host.id,
  );
  return new Map(rows.map((row) => [text(row, "id"), integer(row, "fence")]));
}

/** Gives leases of a host to a name that has ended, from which others take them over. */
export function giveBack(home: MemoryBackend, name: string, leases: ReadonlyMap<string, number>): void {
  const { database, host, held } = home.context;
  database.write(false, () => {
    endedHost(home, name);
    for (const [session, fence] of leases) {
      const key = database.one("SELECT key FROM sessions WHERE id = ?", session);
      if (key === undefined) continue;
      const of = [integer(key, "key"), fence, host.id] as const;
      database.run("UPDATE leases SET host = ? WHERE session = ? AND fence = ? AND host = ?", name, ...of);
      database.run(
        "UPDATE commands SET taken = NULL WHERE session = ? AND taken = ? AND ok IS NULL",
        of[0],
        host.id,
      );
      held.delete(session);
    }
  });
}

/** Gives all that a host held to a name that has ended, from which others take it over. */
export function buryHost(home: MemoryBackend, name: string): void {
  const { database, host, held } = home.context;
  database.write(false, () => {
    endedHost(home, name);
    database.run("UPDATE leases SET host = ? WHERE host = ?", name, host.id);
    database.run("UPDATE children SET host = ? WHERE host = ?", name, host.id);
    database.run("UPDATE commands SET taken = NULL WHERE taken = ? AND ok IS NULL", host.id);
    database.run("UPDATE records SET claim = ? WHERE claim = ?", name, host.id);
    database.run("DELETE FROM blob_claims WHERE host = ?", host.id);
    database.run("DELETE FROM hosts WHERE id = ?", host.id);
  });
  held.clear();
}

/** A host that has ended, beside that of a home, which others may have forgotten. */
function endedHost({ context: { database, host } }: MemoryBackend, name: string): void {
  database.run(
    `INSERT INTO hosts (id, machine_id, boot_id, pid_namespace, pid, started_at, beat, ended)
     SELECT ?1, machine_id, boot_id, pid_namespace, pid, started_at, beat, 1 FROM hosts WHERE id = ?2
     UNION ALL SELECT ?1, '', '', '', 0, '', 0, 1 WHERE NOT EXISTS (SELECT 1 FROM hosts WHERE id = ?2)`,
    name,
    host.id,
  );
}
