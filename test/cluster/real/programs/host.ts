import { setTimeout as pause } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { ClusterHosts } from "../../../../src/app/cluster/cluster-hosts.ts";
import { PeerLinks } from "../../../../src/app/cluster/link/peer-links.ts";
import { DEFAULT_POLICY, type Host, openHost, type Peers } from "../../../../src/core/index.ts";
import { HostError } from "../../../../src/shared/errors/host-error.ts";
import type { HomeStore } from "../../../../src/providers/store/index.ts";
import { postgresStore } from "../../../../src/providers/store/postgres/postgres-store.ts";
import { askingTool } from "../../../kit/asking-tool.ts";
import { countedPeers } from "../../../kit/counted-peers.ts";
import { random } from "../../../kit/counts.ts";
import { toolsOf } from "../../../kit/test-host.ts";
import { recordingStore } from "../../history/recorder.ts";
import { FastClock } from "../fast-clock.ts";
import { fileRecorder } from "../history-file.ts";
import { actingTool, machineModel } from "../machine-model.ts";
import type { FromHost, HostTask, ToHost } from "../messages.ts";
import { turnWallClock } from "../wall-clock.ts";
import { Workload } from "../workload.ts";

/**
 * A host of a cluster, as on a machine of its own, with people who work at it. Its history goes to a file.
 * Argument: a `HostTask`.
 */
// What the test itself wrote.
const task = JSON.parse(process.argv[2] ?? "") as HostTask;
const salt = crc32(task.name);
const recorder = fileRecorder(task.file);
const clock = new FastClock(task.speed);
const READ_WITHIN_MS = 20_000;
const LEASE_MS = 15_000;
const STOP_AFTER_MS = 10_000;
const SECRET = "what all hosts of the test know of";

const say = (message: FromHost): void => void process.send?.(message);

/** A database that is away is asked again. */
async function untilThere<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof HostError && thrown.code === "store_unavailable")) throw thrown;
      await pause(100);
    }
  }
}

const openStore = (): Promise<HomeStore> =>
  postgresStore({
    url: task.url,
    // Another machine for all others: its process ids mean nothing to them.
    identity: { pid: 1, startedAt: "1", bootId: task.name, pidNamespace: task.name, machineId: task.name },
    clock,
    lease: { ms: LEASE_MS / task.speed, stopAfterMs: STOP_AFTER_MS },
    applicationName: task.name,
  });

/** The links to the other hosts; they find this one by the address that it tells them. */
async function openLinks(store: HomeStore): Promise<Links> {
  const { records, hostId } = store;
  const machine = { id: task.name, name: task.name };
  const hosts = new ClusterHosts({ records, hostId, machine, clock, advertise: task.advertise });
  const links = new PeerLinks({
    hostId,
    secret: SECRET,
    clock,
    session: (id) => host.session(id),
    record: (id) => store.record(id),
    hosts: () => hosts.all(),
    report: () => undefined,
  });
  say({ type: "listening", port: await links.listen(0, "127.0.0.1") });
  await untilThere(() => hosts.join());
  return { links, hosts };
}

interface Links {
  readonly links: PeerLinks;
  readonly hosts: ClusterHosts;
}

const openTestHost = (store: HomeStore, peers: Peers): Promise<Host> => {
  const act = actingTool((session, callId, part) =>
    recorder.add({ type: "effect", host: store.hostId, session, callId, part, at: recorder.now() }),
  );
  const ask = askingTool({ kind: "clarify", question: "Which?", choices: [] }, []);
  return openHost({
    store: recordingStore(store, recorder),
    models: machineModel(task.name, random(salt + 1)),
    toolsets: toolsOf(act, ask),
    clock,
    peers,
    policy: {
      ...DEFAULT_POLICY,
      approvals: { ...DEFAULT_POLICY.approvals, mode: "off" },
      // Nobody is there to confirm what waited.
      queue: { holdMs: Number.MAX_SAFE_INTEGER },
      autoTitle: false,
    },
  });
};

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

turnWallClock(task.turned);
const alone = (): never => process.exit(1);
process.on("disconnect", alone);
process.on("message", (message: ToHost) => {
  // What it is told before it works comes as soon as it does.
  if (message.type === "turn") turnWallClock(message.by);
  else if (message.type === "rest") void working.promise.then(rest);
  else void working.promise.then((workload) => end(workload, message.heads));
});
const working = Promise.withResolvers<Workload>();
const store = await untilThere(openStore);
notePauses(store.hostId);
const { links, hosts } = await openLinks(store);
const peers = countedPeers(links);
const host: Host = await untilThere(() => openTestHost(store, peers));
working.resolve(new Workload({ host, hostId: store.hostId, recorder, random: random(salt), task }));
say({ type: "ready" });

async function rest(workload: Workload): Promise<void> {
  await workload.rest();
  say({ type: "resting" });
}

async function end(workload: Workload, heads: Readonly<Record<string, number>>): Promise<void> {
  say({ type: "finished", behind: await workload.finish(heads, READ_WITHIN_MS), near: peers.near() });
  await host.close();
  await links[Symbol.asyncDispose]();
  await hosts[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  say({ type: "closed" });
  process.off("disconnect", alone);
  process.disconnect?.();
}
