import { parentPort, workerData } from "node:worker_threads";
import { toHostError } from "../../../shared/errors/host-error.ts";
import type { Page, ReaderMessage, PageRequest } from "./page.ts";

/** A reader's thread: whatever a page does to those who take it apart happens here. */
async function main(): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const send = (message: ReaderMessage): void => parentPort?.postMessage(message);
  // Only `page-reader.ts` starts this file.
  const request = workerData as PageRequest;
  let last: Page | undefined;
  try {
    for await (const page of pagesOf(request)) {
      last = page;
      send({ type: "draft", page });
    }
    if (last !== undefined) send({ type: "page", page: last });
  } catch (thrown) {
    // A draft is better than nothing: what reads trees fails on some that browsers show.
    if (last === undefined) send({ type: "failed", reason: toHostError(thrown).message });
    else send({ type: "page", page: last });
  }
}

async function* pagesOf(request: PageRequest): AsyncGenerator<Page> {
  if (request.kind === "pdf") yield* (await import("./read-pdf.ts")).readPdf(request);
  else yield* (await import("./read-html.ts")).readHtml(request);
}

await main();
