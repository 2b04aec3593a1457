import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { end, own } from "./processes.ts";

/** An update of a session, as ACP has it. */
export interface AcpUpdate {
  readonly sessionUpdate: string;
  readonly content?: { readonly type?: string; readonly text?: string };
  readonly title?: string;
  readonly rawInput?: unknown;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly sessionId?: string;
    readonly update?: AcpUpdate;
    readonly options?: readonly { readonly optionId: string; readonly kind: string }[];
  };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string; readonly data?: unknown };
}

const LONGEST_END_MS = 3_000;
const LONGEST_MS = 60_000;

/** The process of an agent that speaks ACP, with all that passes its pipes. */
export class AcpConnection {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<NonNullable<Message["result"]>>>();
  readonly #updates = new Map<string, (update: AcpUpdate) => void>();
  #id = 0;
  #isOver = false;

  constructor(command: readonly string[], place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
    const [file = "", ...args] = command;
    const child = spawn(file, args, { ...place, stdio: ["pipe", "pipe", "ignore"], detached: true });
    this.#child = own(child);
    child.on("error", (error) => this.#fail(error));
    child.on("exit", () => this.#fail(new Error("the agent ended")));
    child.stdin.on("error", () => undefined);
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("{")) this.#take(JSON.parse(line) as Message);
    });
  }

  /** Asks for something; nobody waits longer than `longestMs` for it. */
  async request(
    method: string,
    params: object,
    longestMs = LONGEST_MS,
  ): Promise<NonNullable<Message["result"]>> {
    if (this.#isOver) throw new Error("the agent ended");
    this.#id += 1;
    const id = this.#id;
    const waiting = Promise.withResolvers<NonNullable<Message["result"]>>();
    this.#waiting.set(id, waiting);
    const late = setTimeout(() => waiting.reject(new Error(`${method} was not answered`)), longestMs);
    this.#write({ id, method, params });
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(id);
    }
  }

  notify(method: string, params: object): void {
    this.#write({ method, params });
  }

  /** Tells of the updates of a session. */
  onUpdate(session: string, take: (update: AcpUpdate) => void): void {
    this.#updates.set(session, take);
  }

  hold(isHeld: boolean): void {
    if (isHeld) this.#child.stdout?.pause();
    else this.#child.stdout?.resume();
  }

  /** Ends the process, at once or as a client that goes away does: its pipes end. */
  async end(atOnce: boolean): Promise<void> {
    if (!atOnce) {
      this.#child.stdin?.end();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#child.once("exit", () => resolve());
      const late = setTimeout(resolve, LONGEST_END_MS);
      if (!this.#isOver) await promise;
      clearTimeout(late);
    }
    await end(this.#child, 0);
  }

  #write(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #fail(error: Error): void {
    this.#isOver = true;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #take({ id, method, params, result, error }: Message): void {
    if (params?.update !== undefined) return this.#updates.get(params.sessionId ?? "")?.(params.update);
    if (id === undefined) return;
    if (method === "session/request_permission") {
      const allowed = params?.options?.find(({ kind }) => kind.startsWith("allow"));
      const outcome = { outcome: "selected", optionId: allowed?.optionId ?? "" };
      return this.#write({ id, result: { outcome } });
    }
    if (method !== undefined) return this.#write({ id, error: { code: -32_601, message: "not here" } });
    if (error === undefined) this.#waiting.get(id)?.resolve(result ?? {});
    else this.#waiting.get(id)?.reject(new Error(`${error.message} ${JSON.stringify(error.data ?? "")}`));
  }
}
