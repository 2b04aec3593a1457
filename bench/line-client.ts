import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const AGENT = fileURLToPath(new URL("../bin/agent.js", import.meta.url));

/** A message of an agent. */
export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly update?: { readonly sessionUpdate: string; readonly content?: { text?: string } };
    /** Of the editors' protocol and of the gateway's. */
    readonly sessionId?: string;
    readonly session_id?: string;
    readonly type?: string;
  };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string; readonly data?: unknown };
}

/** The command line of `agent` with some arguments, with its launcher, as it is run by people and editors. */
export const agentCommandLine = (...args: readonly string[]): readonly string[] => [AGENT, ...args];

/** The least that can be a client: lines of JSON, so that what is measured is the agent. */
export class LineClient implements AsyncDisposable {
  readonly #child;
  readonly #waiting = new Map<number, PromiseWithResolvers<NonNullable<Message["result"]>>>();
  #id = 0;
  /** Why nothing is answered any more. */
  #ended: Error | undefined;
  /** Told of every update. */
  onUpdate: (update: NonNullable<NonNullable<Message["params"]>["update"]>) => void = () => undefined;
  /** Told of every message that is no answer. */
  onMessage: (message: Message) => void = () => undefined;

  /**
   * @param commandLine - a program and its arguments; `agent acp` by default
   * @param stderr - of an agent of somebody else is ignored: it may say there what it likes
   */
  constructor(
    env: Readonly<Record<string, string | undefined>>,
    [program = "", ...args] = agentCommandLine("acp"),
    stderr: "inherit" | "ignore" = "inherit",
  ) {
    this.#child = spawn(program, args, { env, stdio: ["pipe", "pipe", stderr] });
    this.#child.on("error", (error) => this.#fail(error));
    this.#child.on("exit", () => this.#fail(new Error("the process ended")));
    this.#child.stdin.on("error", () => undefined);
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      if (line.startsWith("{")) this.#take(JSON.parse(line) as Message);
    });
  }

  /** The agent's process; 0 when it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async request(method: string, params: object): Promise<NonNullable<Message["result"]>> {
    if (this.#ended !== undefined) throw this.#ended;
    this.#id += 1;
    const waiting = Promise.withResolvers<NonNullable<Message["result"]>>();
    this.#waiting.set(this.#id, waiting);
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: this.#id, method, params })}\n`);
    return await waiting.promise;
  }

  initialize(): Promise<unknown> {
    return this.request("initialize", { protocolVersion: 1 });
  }

  async open(cwd: string): Promise<string> {
    return String((await this.request("session/new", { cwd, mcpServers: [] }))["sessionId"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#child.stdin.end();
    await once(this.#child, "exit");
  }

  /** Ends a process that may not end by itself. */
  async end(): Promise<void> {
    const killing = setTimeout(() => this.#child.kill("SIGKILL"), 1000);
    await this[Symbol.asyncDispose]();
    clearTimeout(killing);
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #take(message: Message): void {
    const { id, method, params, result, error } = message;
    if (params?.update !== undefined) this.onUpdate(params.update);
    if (method !== undefined && id !== undefined) {
      const refused = { code: -32_601, message: "not here" };
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: refused })}\n`);
      return;
    }
    if (method !== undefined || id === undefined) return this.onMessage(message);
    if (error === undefined) this.#waiting.get(id)?.resolve(result ?? {});
    else this.#waiting.get(id)?.reject(new Error(`${error.message} ${JSON.stringify(error.data ?? "")}`));
    this.#waiting.delete(id);
  }
}
