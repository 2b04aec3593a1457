import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { errorRecord, toHostError } from "../../shared/errors/host-error.ts";
import { CheckpointEngine } from "./engine.ts";
import type { CallName, ThreadCalls, ThreadRequest, ThreadSettings } from "./messages.ts";
import { ownerMark } from "./owner.ts";
import { CheckpointServer } from "./serve.ts";

/** The checkpoints' thread: reading, comparing and packing of files happens here. */
function main(): void {
  const port = parentPort;
  if (port === null) return;
  // Only `thread.ts` starts this file.
  const settings = workerData as ThreadSettings;
  let server: CheckpointServer | undefined;
  port.on("message", (request: ThreadRequest) => {
    try {
      server ??= serverOf(settings);
      void answer(port, server, request);
    } catch (thrown) {
      port.postMessage({ id: request.id, error: errorRecord(toHostError(thrown, "store_unavailable")) });
    }
  });
}

function serverOf({ platform, pid, patienceMs, ...settings }: ThreadSettings): CheckpointServer {
  const engine = new CheckpointEngine({
    ...settings,
    byHandle: platform === "linux",
    owner: ownerMark(pid),
    now: Date.now,
  });
  return new CheckpointServer(engine, patienceMs);
}

async function answer<K extends CallName>(
  port: MessagePort,
  server: CheckpointServer,
  { id, name, input }: ThreadRequest<K>,
): Promise<void> {
  try {
    const call: (given: ThreadCalls[K]["input"]) => Promise<unknown> = server.calls[name];
    port.postMessage({ id, value: await call(input) });
  } catch (thrown) {
    port.postMessage({ id, error: errorRecord(toHostError(thrown, "store_unavailable")) });
  }
  if (name === "close") port.close();
}

main();
