import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { freePort } from "../../test/kit/free-port.ts";
import { benchHome } from "../gateway-process.ts";
import { agentCommandLine } from "../line-client.ts";

/** A host of a cluster: `agent gateway` with a home of its own. */
export interface ClusterHost extends AsyncDisposable {
  /** Of its API. */
  readonly url: string;
  /** Milliseconds of the processors that it has used. */
  cpu(): number;
  /** Ends it at once, as a machine that loses its power does. */
  kill(): Promise<void>;
  /** Tells it to end, and lets it end its turns. */
  drain(): Promise<void>;
  /** It ended by itself; its last words. */
  readonly crash: string | undefined;
}

/** The database and the model that the hosts of a cluster share. */
export interface ClusterPlace {
  readonly databaseUrl: string;
  readonly modelUrl: string;
}

/** A host of another version, or in the place of another one. */
export interface HostChoice {
  /** The file that Node runs; this version's by default. */
  readonly program?: string;
  /** Of its API; a free one by default. */
  readonly port?: number;
}

const SECRET = "a-secret-of-the-benchmark-that-is-long-enough";

/** Process ids of another namespace mean nothing: hosts in namespaces of their own take each other for other machines. */
export const APART = ["--pid", "--fork", "--mount-proc", "--kill-child"];

/** Whether hosts can be made to take each other for other machines; else each asks the system whether another one runs. */
export const areApart: boolean = canBeApart();

/** Starts so many hosts on one database. */
export async function startHosts(count: number, place: ClusterPlace): Promise<readonly ClusterHost[]> {
  // The first one makes the tables, and the others find them.
  const first = await startHost(place);
  return [first, ...(await Promise.all(Array.from({ length: count - 1 }, () => startHost(place))))];
}

/** Starts one host. @throws Error with its last words when it does not start */
export async function startHost(
  { databaseUrl, modelUrl }: ClusterPlace,
  { program: file, port: own }: HostChoice = {},
): Promise<ClusterHost> {
  const port = own ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const link = `http://127.0.0.1:${await freePort()}`;
  const home = benchHome(
    modelUrl,
    `  context_length: 100000000\nplatforms:\n  api_server:\n    enabled: true\n    extra: {port: ${port}}\ncluster: {advertise: "${link}"}\n`,
  );
  const env = { ...home.env, AGENT_STORE_URL: databaseUrl, AGENT_CLUSTER_SECRET: SECRET };
  const command = file === undefined ? agentCommandLine("gateway") : [file, "gateway"];
  const [first = "", ...args] = areApart ? ["unshare", ...APART, ...command] : command;
  const child = spawn(first, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stderr }).on("line", (line) => {
    said.push(line);
    if (line.includes("API server on")) ready.resolve();
  });
  let isToEnd = false;
  let crash: string | undefined;
  child.on("exit", (code, signal) => {
    const how = `A host ended with ${code ?? signal ?? "nothing"}:\n${said.slice(-20).join("\n")}`;
    ready.reject(new Error(how));
    if (!isToEnd) crash = how;
    if (!isToEnd) console.log(how);
  });
  await ready.promise;
  const pid = areApart ? childOf(child) : (child.pid ?? 0);
  const end = async (signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    isToEnd = true;
    const over = once(child, "exit");
    process.kill(pid, signal);
    await over;
  };
  return {
    url,
    cpu: () => cpuOf(pid),
    kill: () => end("SIGKILL"),
    drain: () => end("SIGTERM"),
    get crash() {
      return crash;
    },
    async [Symbol.asyncDispose]() {
      const late = setTimeout(() => void end("SIGKILL"), 5_000);
      await end("SIGTERM");
      clearTimeout(late);
      home[Symbol.dispose]();
    },
  };
}

export async function stopHosts(hosts: readonly ClusterHost[]): Promise<void> {
  await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()));
}

function canBeApart(): boolean {
  try {
    execFileSync("unshare", [...APART, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function childOf({ pid = 0 }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);
}

/** Linux counts in hundredths of a second. */
const TICK_MS = 10;

/** `NaN` when it is gone. */
function cpuOf(pid: number): number {
  if (!existsSync(`/proc/${pid}/stat`)) return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may hold spaces: the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
