import { setTimeout as pause } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { DEFAULT_POLICY, type Host, openHost } from "../../../../src/core/index.ts";
import { HostError } from "../../../../src/shared/errors/host-error.ts";
import type { HomeStore } from "../../../../src/providers/store/index.ts";
import { postgresStore } from "../../../../src/providers/store/postgres/postgres-store.ts";
import { askingTool } from "../../../kit/asking-tool.ts";
import { random } from "../../../kit/counts.ts";
import { toolsOf } from "../../../kit/test-host.ts";
import { recordingStore } from "../../history/recorder.ts";
import { fastClock } from "../fast-clock.ts";
import { fileRecorder } from "../history-file.ts";
import { actingTool, machineModel } from "../machine-model.ts";
import type { FromHost, HostTask, ToHost } from "../messages.ts";
import { Workload } from "../workload.ts";

/**
 * A host of a cluster, as on a machine of its own, with people who work at it. Its history goes to a file.
 * Argument: a `HostTask`.
 */
// What the test itself wrote.
const task = JSON.parse(process.argv[2] ?? "") as HostTask;
const salt = crc32(task.name);
const recorder = fileRecorder(task.file);
const clock = fastClock(task.speed);
const READ_WITHIN_MS = 20_000;
const LEASE_MS = 15_000;
const STOP_AFTER_MS = 10_000;

const say = (message: FromHost): void => void process.send?.(message);

async function openStore(): Promise<HomeStore> {
  for (;;) {
    try {
      return await postgresStore({
        url: task.url,
        // Another machine for all others: its process ids mean nothing to them.
        identity: {
          pid: 1,
          startedAt: "1",
          bootId: task.name,
          pidNamespace: task.name,
          machineId: task.name,
        },
        clock,
        lease: { ms: LEASE_MS / task.speed, stopAfterMs: STOP_AFTER_MS },
        applicationName: task.name,
      });
    } catch (thrown) {
      if (!(thrown instanceof HostError && thrown.code === "store_unavailable")) throw thrown;
      await pause(100);
    }
  }
}

async function openAgain(store: HomeStore): Promise<Host> {
  const act = actingTool((session, callId, part) =>
    recorder.add({ type: "effect", host: store.hostId, session, callId, part, at: recorder.now() }),
  );
  const ask = askingTool({ kind: "clarify", question: "Which?", choices: [] }, []);
  for (;;) {
    try {
      return await openHost({
        store: recordingStore(store, recorder),
        models: machineModel(task.name, random(salt + 1)),
        toolsets: toolsOf(act, ask),
        clock,
        policy: {
          ...DEFAULT_POLICY,
          approvals: { ...DEFAULT_POLICY.approvals, mode: "off" },
          // Nobody is there to confirm what waited.
          queue: { holdMs: Number.MAX_SAFE_INTEGER },
          autoTitle: false,
        },
      });
    } catch (thrown) {
      if (!(thrown instanceof HostError && thrown.code === "store_unavailable")) throw thrown;
      await pause(100);
    }
  }
}

/** Records when this process stood still, which it could not know: it was stopped, or the machine was busy. */
function notePauses(hostId: string): void {
  const EVERY = 100;
  const LONG = 500;
  let last = recorder.now();
  setInterval(() => {
    const now = recorder.now();
    if (now - last > LONG) recorder.add({ type: "pause", host: hostId, from: last, to: now });
    last = now;
  }, EVERY).unref();
}

const store = await openStore();
notePauses(store.hostId);
const host = await openAgain(store);
const workload = new Workload({ host, hostId: store.hostId, recorder, random: random(salt), task });
const alone = (): never => process.exit(1);
process.on("disconnect", alone);
process.on("message", (message: ToHost) => {
  if (message.type === "rest") void workload.rest().then(() => say({ type: "resting" }));
  else void end(message.heads);
});
say({ type: "ready" });

async function end(heads: Readonly<Record<string, number>>): Promise<void> {
  say({ type: "finished", behind: await workload.finish(heads, READ_WITHIN_MS) });
  await host.close();
  await store[Symbol.asyncDispose]();
  say({ type: "closed" });
  process.off("disconnect", alone);
  process.disconnect?.();
}
