import type { AppendOutcome, EncodedAppend } from "../../../src/providers/store/operations.ts";
import type { MemoryBackend } from "../../../src/providers/store/memory/memory-backend.ts";
import { integer, nullableText } from "../../../src/providers/store/sqlite/columns.ts";

/**
 * Carries an append out, unless that was done before and only the answer was lost: then it is answered again. As the statement of a
 * database that machines share, which looks for the row that the append wrote.
 */
export async function repeatAppend(home: MemoryBackend, request: EncodedAppend): Promise<AppendOutcome> {
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
    const outcome = await home.call("append", request);
    // What the try before has answered may be read and gone.
    return outcome.status === "ok" ? { status: "ok", fence: outcome.fence } : outcome;
  }
  if (release) return { status: "ok", fence: undefined };
  const fence = integer(found, "fence");
  const isOwn = holds && (request.fence === undefined || request.fence === fence);
  return isOwn ? { status: "ok", fence } : { status: "fenced" };
}

/** Gives all that a host held to a name that has ended, from which others take it over. */
export function buryHost(home: MemoryBackend, name: string): void {
  const { database, host, held } = home.context;
  database.write(false, () => {
    database.run(
      `INSERT INTO hosts (id, machine_id, boot_id, pid_namespace, pid, started_at, beat, ended)
       SELECT ?, machine_id, boot_id, pid_namespace, pid, started_at, beat, 1 FROM hosts WHERE id = ?`,
      name,
      host.id,
    );
    database.run("UPDATE leases SET host = ? WHERE host = ?", name, host.id);
    database.run("UPDATE children SET host = ? WHERE host = ?", name, host.id);
    database.run("UPDATE commands SET taken = NULL WHERE taken = ? AND ok IS NULL", host.id);
    database.run("UPDATE records SET claim = ? WHERE claim = ?", name, host.id);
    database.run("DELETE FROM blob_claims WHERE host = ?", host.id);
    database.run("DELETE FROM hosts WHERE id = ?", host.id);
  });
  held.clear();
}
