import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { freePort } from "../../test/kit/free-port.ts";
import { startTcpProxy, type TcpProxy } from "../../test/kit/tcp-proxy.ts";
import { APART, areApart } from "../cluster/hosts.ts";
import { type BenchHome, benchHome } from "../gateway-process.ts";
import { agentCommandLine } from "../line-client.ts";
import { end, own } from "./processes.ts";

const SECRET = "a-secret-of-the-benchmark-that-is-long-enough";
const STOP_MS = 5_000;
const START_MS = 30_000;

/** Where a host of this project runs. */
export interface OwnPlace {
  /** Of the model. */
  readonly modelUrl: string;
  /** The port of a database on this machine, and its address; without one the host keeps its own SQLite. */
  readonly database?: { readonly port: number; url(port: number): string };
}

/** A host of this project as a process, with lines to its clients and to its database that can be cut. */
export class OwnHost implements AsyncDisposable {
  /** Between clients and the host. */
  readonly line: TcpProxy;
  /** Between the host and its database. */
  readonly databaseLine: TcpProxy | undefined;
  readonly #home: BenchHome;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  private constructor(
    parts: Pick<OwnHost, "line" | "databaseLine">,
    home: BenchHome,
    databaseUrl: string | undefined,
  ) {
    this.line = parts.line;
    this.databaseLine = parts.databaseLine;
    this.#home = home;
    const more =
      databaseUrl === undefined ? {} : { AGENT_STORE_URL: databaseUrl, AGENT_CLUSTER_SECRET: SECRET };
    this.#env = { ...home.env, ...more };
  }

  static async start({ modelUrl, database }: OwnPlace): Promise<OwnHost> {
    const port = await freePort();
    const databaseLine = database && (await startTcpProxy(database.port));
    const cluster = database && `cluster: {advertise: "http://127.0.0.1:${await freePort()}"}\n`;
    const home = benchHome(
      `${modelUrl}/v1`,
      `  context_length: 100000000\nplatforms:\n  api_server:\n    enabled: true\n    extra: {port: ${port}}\n` +
        `approvals: {mode: "off"}\nterminal: {backend: local}\n${cluster ?? ""}`,
    );
    const line = await startTcpProxy(port);
    const host = new OwnHost({ line, databaseLine }, home, databaseLine && database?.url(databaseLine.port));
    await host.run();
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${this.line.port}`;
  }

  /** Starts the process; it has the home that it had before. */
  async run(): Promise<void> {
    const program = agentCommandLine("gateway");
    const isApart = areApart && this.databaseLine !== undefined;
    const [file = "", ...args] = isApart ? ["unshare", ...APART, ...program] : program;
    const child = spawn(file, args, { env: this.#env, stdio: ["ignore", "ignore", "pipe"], detached: true });
    this.#child = own(child);
    const ready = Promise.withResolvers<void>();
    const said: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => {
      said.push(line);
      if (line.includes("API server on")) ready.resolve();
    });
    const fail = (why: string): void =>
      ready.reject(new Error(`A host ${why}:\n${said.slice(-10).join("\n")}`));
    child.on("exit", () => fail("ended before it listened"));
    const late = setTimeout(() => fail("did not listen in time"), START_MS);
    await ready.promise;
    clearTimeout(late);
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    if (this.#child !== undefined) await end(this.#child, 0);
    this.#child = undefined;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child !== undefined) await end(this.#child, STOP_MS);
    await this.line[Symbol.asyncDispose]();
    await this.databaseLine?.[Symbol.asyncDispose]();
    this.#home[Symbol.dispose]();
  }
}
