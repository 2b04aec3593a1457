import { parentPort, workerData } from "node:worker_threads";
import { errorRecord, toHostError } from "../../../shared/errors/host-error.ts";
import { readDocument } from "./read-document.ts";
import type { ReadingAnswer, ReadingRequest } from "./request.ts";

/** A document's thread: whatever it does to those who take it apart happens here. */
async function main(): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const send = (answer: ReadingAnswer): void => parentPort?.postMessage(answer);
  try {
    // Only `document-reader.ts` starts this file.
    send({ read: await readDocument(workerData as ReadingRequest) });
  } catch (thrown) {
    send({ error: errorRecord(toHostError(thrown)) });
  }
}

await main();
