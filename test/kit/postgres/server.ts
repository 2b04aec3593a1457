import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../free-port.ts";
import { memoryFolder } from "../memory-folder.ts";
import { packagedPostgres, type PostgresBinaries } from "./binaries.ts";

/** The options of a server. */
export interface PostgresOptions {
  /** Settings of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A folder with the data of a server that ran before; a new one by default. */
  readonly data?: string;
  /** New data lie in memory where there is room: whoever kills processes only, finds there what a disk would have too. */
  readonly inMemory?: boolean;
}

/** A PostgreSQL server of its own, on this machine. It ends with this process, however that ends. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  readonly data: string;
  /** The address of one of its databases. */
  url(database?: string): string;
  /** Starts it again where it was, after `stop` or `kill`; resolves when it takes connections. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** Ends it in order, but without waiting for clients. */
  stop(): Promise<void>;
  /** Ends it at once, as a machine that loses its power does. */
  kill(): Promise<void>;
}

/**
 * The shell stands between: when the process that started the server is gone, of which its standard input tells, it ends the
 * server and deletes its data. SIGQUIT is PostgreSQL's "at once".
 */
const SUPERVISOR = `
  exec 3<&0
  "$@" </dev/null 3<&- & server=$!
  (
    read _ <&3
    trap '' TERM
    kill -QUIT $server
    while kill -0 $server; do sleep 0.05; done
    rm -rf "$0"
  ) >/dev/null 2>&1 & watch=$!
  wait $server
  kill $watch
  exit 0`;

const DEFAULTS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "64MB",
  log_checkpoints: "off",
  // After a crash it would sync each of its files by itself.
  recovery_init_sync_method: "syncfs",
};

/** What processes share lies in the server's folder too: elsewhere it stays when they are killed. */
const IN_MEMORY: Readonly<Record<string, string>> = { dynamic_shared_memory_type: "mmap" };

/** Starts a server; `undefined` where no package brings one for this machine. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer | undefined> {
  const binaries = packagedPostgres();
  if (binaries === undefined) return undefined;
  const inMemory = options.inMemory === true;
  const data = options.data ?? (await initialised(binaries, inMemory ? memoryFolder() : tmpdir()));
  const port = await freePort();
  let settings: Readonly<Record<string, string>> = {
    ...DEFAULTS,
    ...(inMemory ? IN_MEMORY : {}),
    ...options.settings,
  };
  let running = await run(binaries, { data, port, settings });
  const end = async (signal: "SIGINT" | "SIGKILL"): Promise<void> => {
    const gone = running.exitCode === null ? once(running, "exit") : undefined;
    // Of all its processes this is the one that the others end with.
    const postmaster = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
    const workers = signal === "SIGKILL" ? childrenOf(postmaster) : [];
    process.kill(postmaster, signal);
    for (const worker of workers) endProcess(worker);
    await gone;
  };
  return {
    port,
    data,
    url: (database = "postgres") => `postgres://postgres@127.0.0.1:${port}/${database}`,
    async start(more = {}) {
      settings = { ...settings, ...more };
      running = await runAgain(binaries, { data, port, settings });
    },
    stop: () => end("SIGINT"),
    kill: () => end("SIGKILL"),
    async [Symbol.asyncDispose]() {
      if (running.exitCode === null) await end("SIGKILL");
      rmSync(dirname(data), { recursive: true, force: true });
    },
  };
}

/** The processes of a server: with the power of a machine all of them are gone at once. */
function childrenOf(postmaster: number): readonly number[] {
  try {
    const list = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8");
    return list.split(" ").filter(Boolean).map(Number);
  } catch {
    // No such list on this system: they end by themselves when they find that the postmaster is gone.
    return [];
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It was faster.
  }
}

/** Makes a folder that a server may own, and the data of a new one in it. */
async function initialised({ initdb, env, user }: PostgresBinaries, parent: string): Promise<string> {
  const data = join(await ownFolder(user, parent), "data");
  const settings = [
    "-U",
    "postgres",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C",
    "--no-sync",
    "--no-instructions",
  ];
  await promisify(execFile)(initdb, ["-D", data, ...settings], { env, cwd: tmpdir(), ...user });
  return data;
}

/** Makes a folder that belongs to the user who runs the server. */
export async function ownFolder(user: PostgresBinaries["user"], parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, "agent-postgres-"));
  giveToServer(folder, user);
  return folder;
}

/** Makes a folder the server's own. */
export function giveToServer(folder: string, user = packagedPostgres()?.user): void {
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
}

/** A server's place and its settings. */
interface ServerSettings {
  readonly data: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** Starts a server where one was killed, as soon as the last of its processes is gone. */
async function runAgain(binaries: PostgresBinaries, settings: ServerSettings): Promise<ChildProcess> {
  for (;;) {
    try {
      return await run(binaries, settings);
    } catch (thrown) {
      if (!(thrown instanceof Error && thrown.message.includes("still in use"))) throw thrown;
      await pause(20);
    }
  }
}

async function run(
  { postgres, env, user }: PostgresBinaries,
  { data, port, settings }: ServerSettings,
): Promise<ChildProcess> {
  const flags = Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const child = spawn("sh", ["-c", SUPERVISOR, dirname(data), postgres, "-D", data, ...flags], {
    env,
    cwd: tmpdir(),
    stdio: ["pipe", "ignore", "pipe"],
    ...user,
  });
  const said: string[] = [];
  const lines = createInterface(child.stderr);
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      said.push(line);
      if (line.includes("database system is ready to accept")) resolve();
    });
    child.once("exit", () => reject(new Error(`PostgreSQL did not start:\n${said.join("\n")}`)));
  });
  lines.removeAllListeners("line");
  child.stderr.resume();
  // A test that ends does not wait for its server.
  child.unref();
  for (const stream of [child.stdin, child.stderr])
    if ("unref" in stream) (stream as { unref(): void }).unref();
  return child;
}
