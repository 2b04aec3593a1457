import { parentPort, workerData } from "node:worker_threads";
import { errorRecord } from "../../shared/errors/host-error.ts";
import { storeFailure } from "../store/sqlite/failure.ts";
import { kbFile } from "./mark.ts";
import { KbLibrary } from "./library.ts";
import type { ThreadAnswer } from "../../shared/threads/calling-thread.ts";
import type { KbRequest, KbThreadSettings } from "./messages.ts";

/** The thread of the knowledge base: its database is opened and read here. */
function main(): void {
  const port = parentPort;
  if (port === null) return;
  // Only `thread.ts` starts this file.
  const { home } = workerData as KbThreadSettings;
  let library: KbLibrary | undefined;
  const answer = ({ id, name, input }: KbRequest): ThreadAnswer => {
    try {
      if (name === "close") return { id, value: library?.close() };
      library ??= new KbLibrary(home, Date.now);
      // `thread.ts` sends each name with its own input.
      const call = library[name].bind(library) as (...given: readonly unknown[]) => unknown;
      return { id, value: call(...input) };
    } catch (thrown) {
      return { id, error: errorRecord(storeFailure(thrown, kbFile(home))) };
    }
  };
  port.on("message", (request: KbRequest) => port.postMessage(answer(request)));
}

main();
