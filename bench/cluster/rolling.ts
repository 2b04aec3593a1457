import { setTimeout as pause } from "node:timers/promises";
import { promptText } from "../../src/core/index.ts";
import { postgresStore } from "../../src/providers/store/postgres/postgres-store.ts";
import { checkHistory } from "../../test/cluster/checker/check-history.ts";
import { printFaults } from "../../test/cluster/checker/fault.ts";
import { logRows } from "../../test/cluster/checker/log-row.ts";
import { finalLogs } from "../../test/cluster/history/final-logs.ts";
import type { FinalLog, History, HistoryEntry } from "../../test/cluster/history/history.ts";
import { freePort } from "../../test/kit/free-port.ts";
import { percentile } from "../figures.ts";
import { startModelProcess } from "../model-process.ts";
import { startBalancer } from "./balancer.ts";
import { type ClusterHost, type ClusterPlace, startHost, stopHosts } from "./hosts.ts";
import { RoamingClient, type RoamingPrompt } from "./roaming-client.ts";
import { type ClusterBench, type Line, ms, none } from "./row.ts";
import { buildVersion, versionBefore } from "./version.ts";

const HOSTS = 3;
const SESSIONS = 24;
const TOKENS = 20;
const PACE_MS = 100;
/** Work between two replacements, in milliseconds. */
const BETWEEN_MS = 2_000;
const WITNESS = { pid: 1, startedAt: "1", bootId: "", pidNamespace: "", machineId: "witness" };

/** An update of all hosts, one after the other. */
interface Update {
  readonly to: string;
  /** The file that Node runs; this version's without one. */
  readonly program?: string;
}

/** Hosts that are updated one after the other while clients work through a balancer, and then put back. */
export async function rolling({ database, from }: ClusterBench): Promise<readonly Line[]> {
  const ref = from ?? (await versionBefore());
  console.log(`  building ${ref}`);
  await using before = await buildVersion(ref);
  await using model = await startModelProcess(["--stamped", "--tokens", `${TOKENS}`, "--pace", `${PACE_MS}`]);
  const databaseUrl = await database();
  const cluster = new RollingCluster({ databaseUrl, modelUrl: model.baseUrl }, await freePorts());
  await cluster.start({ to: before.commit, program: before.program });
  await using balancer = await startBalancer(cluster.ports);
  const clients = Array.from(
    { length: SESSIONS },
    (_, index) => new RoamingClient(balancer.url, `rolls-${index}`),
  );
  let isOver = false;
  const working = Promise.all(clients.map((client) => client.work(() => isOver)));
  const said: string[] = [];
  try {
    await pause(BETWEEN_MS);
    said.push(await cluster.update({ to: "this version" }));
    said.push(await cluster.update({ to: before.commit, program: before.program }));
    said.push(await cluster.update({ to: "this version" }));
    isOver = true;
    await working;
  } finally {
    await cluster.stop();
  }
  const prompts = clients.flatMap((client) => client.prompts);
  const incomplete = prompts.filter(({ outcome }) => outcome !== "completed");
  const history = await historyOf(databaseUrl, prompts, cluster.crashes);
  for (const { event } of history.logs.flatMap(({ rows }) => logRows(rows)))
    if (event.type === "turn.end" && event.outcome !== "completed")
      console.log(`  ${event.turnId} ended as ${event.outcome}: ${event.reason ?? event.error?.message}`);
  const faults = checkHistory(history);
  if (faults.length > 0) console.log(printFaults(faults));
  const again = clients.reduce((sum, client) => sum + client.again, 0);
  return [
    ...said.map((measured, index): Line => ({
      what: `${HOSTS} hosts under load, replaced one by one: ${["forward", "back", "forward again"][index]}`,
      measured,
    })),
    none(`… of ${prompts.length} prompts, what the checker finds wrong`, faults.length),
    none("… turns that did not complete", incomplete.length),
    ...waits(prompts),
    { what: "… requests that were refused or broke, and were made again", measured: String(again) },
    { what: "… hosts that told the balancer that they drain", measured: `${balancer.drained.length} of 9` },
  ];
}

function waits(prompts: readonly RoamingPrompt[]): readonly Line[] {
  const firsts = prompts.flatMap(({ sentAt, firstAt }) => (firstAt === undefined ? [] : [firstAt - sentAt]));
  return [
    { what: "… first text p50", measured: ms(percentile(firsts, 0.5)) },
    { what: "… first text p99", measured: ms(percentile(firsts, 0.99)) },
    { what: "… first text at most", measured: ms(Math.max(...firsts)) },
  ];
}

const freePorts = (): Promise<readonly number[]> =>
  Promise.all(Array.from({ length: HOSTS }, () => freePort()));

/** Hosts at fixed ports, whose versions change. */
class RollingCluster {
  readonly ports: readonly number[];
  readonly crashes: string[] = [];
  readonly #place: ClusterPlace;
  readonly #hosts: ClusterHost[] = [];

  constructor(place: ClusterPlace, ports: readonly number[]) {
    this.#place = place;
    this.ports = ports;
  }

  async start({ program }: Update): Promise<void> {
    for (const port of this.ports)
      this.#hosts.push(await startHost(this.#place, { port, ...(program === undefined ? {} : { program }) }));
  }

  /** Replaces one host after the other; says how long that took, or that the version does not start. */
  async update({ to, program }: Update): Promise<string> {
    const drains: number[] = [];
    for (const [index, port] of this.ports.entries()) {
      const host = this.#hosts[index];
      const from = performance.now();
      await host?.drain();
      await host?.[Symbol.asyncDispose]();
      drains.push(performance.now() - from);
      this.#note(host);
      try {
        const choice = { port, ...(program === undefined ? {} : { program }) };
        this.#hosts[index] = await startHost(this.#place, choice);
      } catch (thrown) {
        // An older version that meets a newer schema: there is no way back but a backup.
        this.#hosts[index] = await startHost(this.#place, { port });
        const [, ...words] = String(thrown).split("\n");
        return `${to} does not start: ${words.join(" ").slice(0, 200)}`;
      }
      await pause(BETWEEN_MS);
    }
    return `${to}, drains ≤ ${ms(Math.max(...drains))}`;
  }

  async stop(): Promise<void> {
    for (const host of this.#hosts) this.#note(host);
    await stopHosts(this.#hosts);
  }

  #note(host: ClusterHost | undefined): void {
    if (host?.crash !== undefined) this.crashes.push(host.crash);
  }
}

/** What clients sent and were told, and what the logs say. */
async function historyOf(
  url: string,
  prompts: readonly RoamingPrompt[],
  defects: readonly string[],
): Promise<History> {
  await using store = await postgresStore({ url, identity: WITNESS, applicationName: "witness" });
  const logs = await finalLogs(store, new Set(prompts.map(({ session }) => session)));
  const ids = promptIds(logs);
  const waiting = prompts.flatMap(({ text, outcome }) =>
    outcome === undefined ? [`${text} has no end`] : [],
  );
  return { entries: prompts.flatMap((prompt) => [...entriesOf(prompt, ids)]), logs, waiting, defects };
}

/** The ids of prompts by their texts; a second one with a text is not there, so that nobody has sent it. */
function promptIds(logs: readonly FinalLog[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const { event } of logs.flatMap(({ rows }) => logRows(rows))) {
    if (event.type !== "turn.start") continue;
    const text = promptText(event.prompt.parts);
    if (!ids.has(text)) ids.set(text, event.prompt.id);
  }
  return ids;
}

function* entriesOf(
  { session, text, isAccepted, turnId, outcome, answer }: RoamingPrompt,
  ids: ReadonlyMap<string, string>,
): Generator<HistoryEntry> {
  const about = { host: "balancer", session, promptId: ids.get(text) ?? text };
  yield { ...about, type: "prompt", answered: isAccepted ? "accepted" : "unknown" };
  if (turnId !== undefined && outcome !== undefined)
    yield { ...about, type: "result", turnId, outcome, text: answer };
}
