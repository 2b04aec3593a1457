import { parentPort, workerData } from "node:worker_threads";
import { JoinedBytes } from "./joined-bytes.ts";
import type { MailAnswer } from "./mail-reader.ts";
import { parseMail } from "./mail.ts";

/** A mail's thread: whatever it does to what takes it apart happens here. */
async function main(): Promise<void> {
  // The parser joins the lines of a part so. Node's own keeps some 2 KB for each line, which no limit of a thread counts.
  Object.assign(globalThis, { Blob: JoinedBytes });
  // Only `mail-reader.ts` starts this file.
  const mail = await parseMail(workerData as Uint8Array);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage({ mail } satisfies MailAnswer);
}

await main();
