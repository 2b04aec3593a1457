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
  readonly error?: { readonly message: string };
}

/** The command line of `agent` with some arguments, for Node. */
export const agentProgram = (...args: readonly string[]): readonly string[] => [AGENT, ...args];

/** The least that can be a client: lines of JSON, so that what is measured is the agent. */
export class LineClient implements AsyncDisposable {
  readonly #child;
  readonly #waiting = new Map<number, PromiseWithResolvers<NonNullable<Message["result"]>>>();
  #id = 0;
  /** Told of every update. */
  onUpdate: (update: NonNullable<NonNullable<Message["params"]>["update"]>) => void = () => undefined;
  /** Told of every message that is no answer. */
  onMessage: (message: Message) => void = () => undefined;

  /** @param program - for Node; `agent acp` by default */
  constructor(env: Readonly<Record<string, string | undefined>>, program = agentProgram("acp")) {
    this.#child = spawn(process.execPath, program, { env, stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout }).on("line", (line) =>
      this.#take(JSON.parse(line) as Message),
    );
  }

  /** The agent's process; 0 when it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async request(method: string, params: object): Promise<NonNullable<Message["result"]>> {
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
    this.#child.stdin.end();
    await once(this.#child, "exit");
  }

  #take(message: Message): void {
    const { id, method, params, result, error } = message;
    if (params?.update !== undefined) this.onUpdate(params.update);
    if (method !== undefined || id === undefined) return this.onMessage(message);
    if (error === undefined) this.#waiting.get(id)?.resolve(result ?? {});
    else this.#waiting.get(id)?.reject(new Error(error.message));
    this.#waiting.delete(id);
  }
}
