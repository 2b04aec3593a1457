import { join } from "node:path";
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { errorRecord } from "../../../shared/errors/host-error.ts";
import { storeFailure } from "./failure.ts";
import { DATABASE_FILE } from "./open-database.ts";
import { rehearseFirstTurn } from "./rehearsal.ts";
import { serveDatabase } from "./serve.ts";
import type { WorkerSettings, WorkerInput } from "./worker-messages.ts";

/** The store's thread: everything that waits for the disk or for a lock happens here. */
function main(): void {
  const port = parentPort;
  if (port === null) return;
  // Only `worker-backend.ts` starts this file. A thread that was started ahead gets its settings later.
  const data = workerData as WorkerSettings | null;
  if (data !== null) return work(port, data);
  port.once("message", (later: WorkerSettings) => work(port, later));
  rehearseFirstTurn();
}

function work(port: MessagePort, data: WorkerSettings): void {
  try {
    const take = serveDatabase(data, (message) => port.postMessage(message));
    port.on("message", (first: WorkerInput) => {
      const waiting = [first];
      // All requests that came while the last batch was written are the next batch.
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        waiting.push(next.message as WorkerInput);
      }
      if (!take(waiting)) port.close();
    });
    port.postMessage({ type: "ready" });
  } catch (thrown) {
    const error = errorRecord(storeFailure(thrown, join(data.home, DATABASE_FILE)));
    port.postMessage({ type: "failed", error });
    port.close();
  }
}

main();
