import { type JSONRPCMessage, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { FLOODED, FlowGuard, TOO_LARGE } from "./flow-guard.ts";
import { LineReader } from "./line-reader.ts";
import { OpenRequests, parseMessage } from "./message.ts";
import type { ProcessServer } from "./server.ts";
import type { McpHost, ServerProcess } from "./host.ts";

/** Messages as lines between this process and a server's program. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #begin: () => Promise<ServerProcess>;
  readonly #lines = new LineReader();
  readonly #open = new OpenRequests();
  readonly #flow: FlowGuard;
  #process: ServerProcess | undefined;
  #isClosed = false;
  #lastWords: string | undefined;

  constructor(server: ProcessServer, { start, clock, cwd, session }: McpHost) {
    this.#flow = new FlowGuard(clock);
    this.#begin = () =>
      start({
        server,
        cwd: server.cwd ?? cwd,
        session,
        output: (chunk) => this.#take(chunk),
        complained: (bytes) => this.#unasked(bytes),
      });
  }

  /** What is to be said of the connection's end, when it was not this side's wish. */
  get lastWords(): string | undefined {
    return this.#lastWords;
  }

  async start(): Promise<void> {
    const started = await this.#begin();
    this.#process = started;
    if (this.#isClosed) return started.kill();
    void started.ended.then((why) => this.#end(why));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined || this.#isClosed)
      throw new HostError("tool_failed", this.#lastWords ?? "it is not running");
    this.#open.sent(message);
    await this.#process.write(serializeMessage(message));
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.#process?.kill();
    this.onclose?.();
    return Promise.resolve();
  }

  #end(why: string): void {
    if (this.#isClosed) return;
    this.#lastWords = why;
    this.onerror?.(new HostError("tool_failed", why));
    void this.close();
  }

  #take(chunk: Uint8Array): void {
    if (this.#isClosed) return;
    for (const line of this.#lines.take(chunk)) {
      if (line === undefined) return this.#end(TOO_LARGE);
      this.#line(line);
    }
    if (this.#lines.overlong) this.#end(TOO_LARGE);
  }

  #line(line: string): void {
    // What is no message is passed over: some servers print other things on their output.
    const message = parseMessage(line);
    if (message === undefined || !this.#open.answers(message)) this.#unasked(line.length);
    if (message === undefined || this.#isClosed) return;
    try {
      this.onmessage?.(message);
    } catch (thrown) {
      this.onerror?.(toHostError(thrown, "tool_failed"));
    }
  }

  #unasked(bytes: number): void {
    if (!this.#flow.take(bytes)) this.#end(FLOODED);
  }
}
