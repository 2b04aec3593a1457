import { parentPort, workerData } from "node:worker_threads";
import type { SearchRequest, SearchSettings } from "./search-messages.ts";
import { SearchService } from "./serve.ts";

/** The thread that searches: what it does keeps neither the store's thread nor the process waiting. */
function main(): void {
  const port = parentPort;
  if (port === null) return;
  // Only `search-thread.ts` starts this file.
  const service = new SearchService(workerData as SearchSettings);
  port.on("message", (request: SearchRequest | "close") => {
    if (request !== "close") {
      port.postMessage(service.answer(request));
      return;
    }
    service.close();
    port.close();
  });
}

main();
