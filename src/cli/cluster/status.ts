import { clusterStatus, type ClusterStatus, type ShownHost } from "../../app/cluster/cluster-status.ts";
import { encodeCluster } from "../../app/cluster/status-record.ts";
import { loadSettings } from "../../app/config/settings.ts";
import { type Io, write } from "../../app/process/io.ts";
import { openStore } from "../../app/store/open-store.ts";
import { formatAge } from "../../shared/text/format.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

/** `agent cluster status`. @throws HostError `config_invalid`, `store_*` */
export async function printClusterStatus(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  const settings = await loadSettings(io.env, io.cwd);
  await using store = await openStore(io, settings);
  const found = await clusterStatus(settings, store);
  // This command itself is no host that anybody asks for.
  const status = { ...found, hosts: found.hosts.filter(({ isThis }) => !isThis) };
  if (json) return await printJson(io, encodeCluster(status));
  await write(io.stdout, statusText(status, { home: settings.paths.home, now: store.now() }));
}

function statusText(
  { database, hosts, differences }: ClusterStatus,
  { home, now }: { readonly home: string; readonly now: number },
): string {
  const lines = [
    database === undefined
      ? `One machine: the store is SQLite in ${home}. With store.url in config.yaml any number of machines share a PostgreSQL database: docs/cluster.md.`
      : `${database.url}: PostgreSQL ${database.version}, schema ${database.schema}, answers in ${ms(database.latencyMs)}.`,
    ...(database?.faults ?? []),
    hosts.length === 0 ? "No other process uses it now." : "",
  ];
  const table = hosts.length === 0 ? [] : [HEAD, ...hosts.map((host) => row(host, now))];
  const nameOf = (id: string): string => {
    const host = hosts.find(({ hostId }) => hostId === id);
    return host === undefined ? id : `${host.machine ?? ""} (${host.pid})`;
  };
  const differing = differences.map(
    ({ topic, groups }) =>
      `Differs: ${topic}: ${groups.map((group) => group.map(nameOf).join(", ")).join(" | ")}. Make it the same on each machine.`,
  );
  return `${[...lines, ...table, ...differing]
    .filter((line) => line !== "")
    .map((line) => forTerminalLine(line))
    .join("\n")}\n`;
}

const cells = (all: readonly string[]): string =>
  all
    .map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0))
    .join("  ")
    .trimEnd();
const WIDTHS = [20, 8, 12, 6, 6, 7, 8, 9];
const HEAD = cells(["MACHINE", "PID", "VERSION", "SINCE", "TURNS", "LEASES", "LAG", "DATABASE", "ADDRESS"]);

function row(host: ShownHost, now: number): string {
  const { machine, pid, version, since, alive, running, leases, lagMs, databaseMs, advertise } = host;
  return cells([
    machine ?? "-",
    String(pid),
    alive ? (version ?? "-") : "dead",
    since === undefined ? "-" : formatAge(now - since),
    running === undefined ? "-" : String(running),
    String(leases),
    lagMs === undefined ? "-" : `${Math.round(lagMs / 1000)} s`,
    databaseMs === undefined ? "-" : ms(databaseMs),
    advertise ?? "",
  ]);
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
