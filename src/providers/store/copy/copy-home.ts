import { join } from "node:path";
import type { RecordDraft } from "../../../core/index.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import { randomHex } from "../../../shared/crypto/random-hex.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { databaseBlobs } from "../postgres/blobs.ts";
import { Connections } from "../postgres/connections.ts";
import { isRunning, readIdentity } from "../process-identity.ts";
import { blobFiles } from "../sqlite/blob-files.ts";
import { copyBlobs } from "./copy-blobs.ts";
import { copyFeed, copyRecords } from "./copy-records.ts";
import { copySessions, removeOtherSessions } from "./copy-sessions.ts";
import { aloneInTarget, claimTarget, sessionsIn, writeMark } from "./copy-target.ts";
import { type HomeCounts, SourceHome } from "./source-home.ts";

/** The options of a copy. */
export interface CopyOptions {
  /** The folder of the home, which is only read. */
  readonly home: string;
  /** Address of the database. */
  readonly url: string;
  readonly pid: number;
  readonly clock: Clock;
  /** Records that the home keeps as files. */
  readonly records: (home: string) => Promise<readonly RecordDraft[]>;
  readonly progress: (progress: CopyProgress) => void;
}

/** The state of a copy. */
export interface CopyProgress {
  readonly part: "sessions" | "blobs" | "records" | "done";
  readonly all: HomeCounts;
  readonly sessions: number;
  readonly rows: number;
  readonly blobs: number;
  /** Sessions that an earlier run had copied. */
  readonly were: number;
}

/** The result of a copy. */
export interface CopyReport extends CopyProgress {
  /** It went on with what an earlier run had begun. */
  readonly continued: boolean;
  readonly records: number;
  /** Entries of the feed. */
  readonly feed: number;
  /** Blobs that the home has lost, or that are damaged there. */
  readonly lost: readonly string[];
}

/**
 * Copies a home on SQLite into an empty PostgreSQL database, and checks each row there. A copy that was ended goes on when it is
 * started again.
 *
 * @throws HostError `not_found`, `conflict`, `store_*`; the home is never changed
 */
export async function copyHome(options: CopyOptions): Promise<CopyReport> {
  using source = new SourceHome(options.home, readIdentity(options.pid), isRunning);
  const target = new Connections({ url: options.url, most: 6, name: "agent store copy" });
  try {
    return await aloneInTarget(target, (alive) => copyInto(source, target, { ...options, alive }));
  } finally {
    await target.close();
  }
}

async function copyInto(
  source: SourceHome,
  target: Connections,
  options: CopyOptions & { readonly alive: () => Promise<void> },
): Promise<CopyReport> {
  const { clock, progress, alive } = options;
  const mark = { source: source.mark, place: source.home };
  const continued = await claimTarget(target, mark);
  const all = source.counts(clock.now());
  let now: CopyProgress = { part: "sessions", all, sessions: 0, rows: 0, blobs: 0, were: 0 };
  const tell = async (change: Partial<CopyProgress>): Promise<void> => {
    now = { ...now, ...change };
    progress(now);
    // The transaction that keeps others away would else be idle for as long as this takes.
    await alive();
  };
  await tell({});
  await copySessions(source, target, ({ rows, wasThere }) =>
    tell({
      sessions: now.sessions + 1,
      rows: now.rows + rows,
      were: now.were + (wasThere ? 1 : 0),
    }),
  );
  if (continued) await removeOtherSessions(source, target);
  const lost = await copyBlobs({
    hashes: source.blobs(),
    from: blobFiles(join(source.home, "blobs"), randomHex),
    to: databaseBlobs(target),
    target,
    copied: () => tell({ part: "blobs", blobs: now.blobs + 1 }),
  });
  const more = await options.records(source.home);
  await tell({ part: "records" });
  const { records, feed } = await target.transaction(async (sql) => {
    const copied = await copyRecords({ source, now: clock.now(), more }, sql);
    return { records: copied, feed: await copyFeed(source, sql) };
  });
  const there = await sessionsIn(target);
  if (there !== all.sessions)
    throw new HostError(
      "store_corrupt",
      `The database has ${there} sessions where the home has ${all.sessions}. Run the copy again.`,
    );
  await writeMark(target, { ...mark, whole: true });
  await tell({ part: "done" });
  return { ...now, continued, records, feed, lost };
}
