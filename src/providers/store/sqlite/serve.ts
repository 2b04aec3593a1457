import { join } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { WorkerOutput, WorkerSettings, WorkerInput } from "./worker-messages.ts";
import { blobFileCleanup } from "./blob-files.ts";
import { Batch } from "./batch.ts";
import { Checkpointer } from "./checkpointer.ts";
import { ChangePoller } from "./change-poller.ts";
import { ChangeWatcher } from "./change-watcher.ts";
import type { Database } from "./database.ts";
import { endHost } from "./hosts.ts";
import { openHomeDatabase } from "./open-database.ts";
import { sqlOperations } from "./sql-operations.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { OperationContext } from "./operation-context.ts";

/**
 * Opens a home's database and serves requests on it.
 *
 * @returns takes what has come in together; gives `false` once the service has ended
 * @throws HostError `store_unavailable`, `store_full`, `store_corrupt`
 */
export function serveDatabase(
  data: WorkerSettings,
  post: (message: WorkerOutput) => void,
): (messages: readonly WorkerInput[]) => boolean {
  const reserve = new DiskReserve(data.home);
  const database = openWith(reserve, () => openHomeDatabase(data.home, data));
  const context = new OperationContext(database, blobFileCleanup(join(data.home, "blobs")), data.host);
  const watcher = new ChangeWatcher(context, (event) => post({ type: "events", events: [event] }));
  const poller = new ChangePoller(context, watcher);
  const batch = new Batch(context, sqlOperations(context, watcher), reserve);
  const checkpoints = new Checkpointer(database);

  function close(): void {
    poller.stop();
    checkpoints.stop();
    try {
      database.write(false, () => endHost(context));
      database.execute("PRAGMA optimize");
    } catch {
      // Other hosts find out by themselves that this one is gone.
    }
    database.close();
  }

  return (messages) => {
    const requests = messages.flatMap((message) => (message.type === "requests" ? message.requests : []));
    if (requests.length > 0) {
      const before = database.commits;
      post({ type: "responses", responses: batch.run(requests) });
      // After the responses: a host learns that it drives a session before it gets commands for it.
      poller.afterBatch();
      if (database.commits !== before) checkpoints.wrote();
    }
    if (messages.every(({ type }) => type !== "close")) return true;
    close();
    post({ type: "closed" });
    return false;
  };
}

/** Opens a database on a full disk too, by giving up the reserve: a person must be able to look and to make room. */
function openWith(reserve: DiskReserve, open: () => Database): Database {
  try {
    return open();
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.code !== "store_full") throw thrown;
    reserve.release();
    return open();
  }
}
