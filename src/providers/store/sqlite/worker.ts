import { join } from "node:path";
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { errorRecord } from "../../../shared/errors/host-error.ts";
import { storeFailure } from "./failure.ts";
import { DATABASE_FILE } from "./open-database.ts";
import { DatabaseService } from "./database-service.ts";
import type { DatabaseSettings, WorkerInput, WorkerOutput } from "./worker-messages.ts";

/** The store's thread: everything that waits for the disk or for a lock happens here. */
function main(): void {
  const port = parentPort;
  if (port === null) return;
  // Only `worker-backend.ts` starts this file.
  const settings = workerData as DatabaseSettings;
  try {
    serve(port, settings);
  } catch (thrown) {
    const error = errorRecord(storeFailure(thrown, join(settings.home, DATABASE_FILE)));
    send(port, { type: "failed", error });
    port.close();
  }
}

function serve(port: MessagePort, settings: DatabaseSettings): void {
  const service = new DatabaseService(settings, (event) => send(port, { type: "event", event }));
  port.on("message", (first: WorkerInput) => {
    const waiting = [first];
    // All requests that came while the last batch was written are the next batch.
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      waiting.push(next.message as WorkerInput);
    }
    const requests = waiting.flatMap((message) => (message.type === "requests" ? message.requests : []));
    if (requests.length > 0) {
      send(port, { type: "responses", responses: service.run(requests) });
      service.answered();
    }
    if (waiting.every(({ type }) => type !== "close")) return;
    service.close();
    port.close();
  });
  send(port, { type: "ready" });
}

const send = (port: MessagePort, message: WorkerOutput): void => port.postMessage(message);

main();
