import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openHost } from "../../../src/core/index.ts";
import type { HomeStore } from "../../../src/providers/store/index.ts";
import { postgresStore } from "../../../src/providers/store/postgres/postgres-store.ts";
import { scriptedModel } from "../../kit/scripted-model.ts";
import { finalLogs } from "../history/final-logs.ts";
import { type History, isOfSession } from "../history/history.ts";
import { type Recorder, recordingStore } from "../history/recorder.ts";
import { fileRecorder, joinHistories } from "./history-file.ts";
import { Machine } from "./machine.ts";

/** Time on the machines passes so much faster: what waits 10 s for a silent host waits a third of it. */
const SPEED = 5;
/** Milliseconds after which others take over from a silent host, as the tests' clock goes. */
export const LEASE_MS = 15_000 / SPEED;
const MACHINES = 3;
const CLIENTS = 3;
const SESSIONS = 12;
/** After all is whole again, everybody must be done within so long, in milliseconds. */
const QUIET_WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 100;
const IDENTITY = { pid: 1, startedAt: "1", bootId: "", pidNamespace: "", machineId: "" };

/** Machines with a database of their own, and people at all of them. */
export class Cluster implements AsyncDisposable {
  readonly machines: readonly Machine[];
  /** Keeps what is done to the cluster. */
  readonly recorder: Recorder;
  readonly #folder: string;
  readonly #url: () => string;
  #isKept = false;

  private constructor(machines: readonly Machine[], folder: string, url: () => string) {
    this.machines = machines;
    this.recorder = fileRecorder(join(folder, "faults.jsonl"));
    this.#folder = folder;
    this.#url = url;
  }

  /** @param url - of the database; asked again at the end, when it may be elsewhere */
  static async start(url: () => string): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), "agent-cluster-"));
    const sessions = await makeSessions(url(), join(folder, "begin.jsonl"));
    const settings = { url: url(), folder, speed: SPEED, clients: CLIENTS, sessions };
    const machines = await Promise.all(
      Array.from({ length: MACHINES }, (_, number) => {
        const read = sessions.filter((_session, index) => index % 2 === number % 2);
        const readers = read.map((session) => ({ name: `reader-${number}-${session}`, session, after: 0 }));
        return Machine.start(`machine-${number}`, { settings, readers });
      }),
    );
    return new Cluster(machines, folder, url);
  }

  /** Lets everybody come to an end, and gives all that happened. The hosts are closed then. */
  async end(): Promise<History> {
    const waiting: string[] = [];
    const resting = Promise.all(this.machines.map((machine) => machine.rest())).then(() => true);
    if (!(await Promise.race([resting, pause(QUIET_WITHIN_MS, false)])))
      waiting.push("somebody waits for a prompt");
    await using store = await witness(this.#url());
    waiting.push(...(await untilQuiet(store)));
    const records = await allSessions(store);
    const heads = Object.fromEntries(records.map(({ id, state }) => [id, state.seq]));
    for (const behind of await Promise.all(this.machines.map((machine) => machine.finish(heads))))
      waiting.push(...behind);
    const files = [
      join(this.#folder, "begin.jsonl"),
      join(this.#folder, "faults.jsonl"),
      ...this.machines.flatMap((machine) => machine.files),
    ];
    const entries = joinHistories(files);
    const named = entries.filter(isOfSession).map(({ session }) => session);
    const logs = await finalLogs(store, new Set([...records.map(({ id }) => id), ...named]));
    const defects = this.machines.flatMap(({ crashes }) => crashes);
    return { entries, logs, waiting, defects };
  }

  /** Keeps the histories, for somebody to look into; gives their folder. */
  keep(): string {
    this.#isKept = true;
    return this.#folder;
  }

  /** What hosts said on stderr. */
  get errors(): string {
    return this.machines.flatMap((machine) => machine.errors).join("");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const machine of this.machines) await machine[Symbol.asyncDispose]();
    if (!this.#isKept) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Somebody who looks, on a line of its own, and drives nothing. */
const witness = (url: string): Promise<HomeStore> =>
  postgresStore({ url, identity: { ...IDENTITY, machineId: "witness" }, applicationName: "witness" });

async function makeSessions(url: string, file: string): Promise<readonly string[]> {
  await using store = await witness(url);
  const host = await openHost({ store: recordingStore(store, fileRecorder(file)), models: scriptedModel() });
  const sessions: string[] = [];
  for (let count = 0; count < SESSIONS; count += 1) sessions.push((await host.open()).id);
  await host.close();
  return sessions;
}

const allSessions = (store: HomeStore): ReturnType<HomeStore["list"]> =>
  store.list({ offset: 0, limit: 10_000, includeHidden: true });

/** Waits until nothing runs and nothing is queued; gives what is left when that does not come. */
async function untilQuiet(store: HomeStore): Promise<readonly string[]> {
  const until = performance.now() + QUIET_WITHIN_MS;
  for (;;) {
    const busy = (await allSessions(store)).filter(
      ({ state }) => state.turn !== undefined || state.queue.length > 0,
    );
    if (busy.length === 0) return [];
    if (performance.now() > until)
      return busy.map(
        ({ id, state, owner }) =>
          `${id}: turn ${state.turn?.turnId}, ${state.queue.length} queued, driven by ${owner?.hostId}`,
      );
    await pause(LOOK_EVERY_MS);
  }
}
