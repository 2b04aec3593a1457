import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { HostError, toHostError } from "../../core/index.ts";
import type { ServerProcess, StartRequest, StartServer } from "./server.ts";

/** Messages as lines between this process and a server's program. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #begin: () => Promise<ServerProcess>;
  readonly #lines = new ReadBuffer();
  #process: ServerProcess | undefined;
  #isClosed = false;
  #lastWords: string | undefined;

  constructor(start: StartServer, request: Omit<StartRequest, "output">) {
    this.#begin = () => start({ ...request, output: (chunk) => this.#take(chunk) });
  }

  /** What is to be said of the program's end, when it ended by itself. */
  get lastWords(): string | undefined {
    return this.#lastWords;
  }

  async start(): Promise<void> {
    const started = await this.#begin();
    this.#process = started;
    if (this.#isClosed) return started.kill();
    void started.ended.then((why) => {
      if (this.#isClosed) return;
      this.#lastWords = why;
      this.onerror?.(new HostError("tool_failed", why));
      void this.close();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined || this.#isClosed)
      throw new HostError("tool_failed", "The server is not running.");
    await this.#process.write(serializeMessage(message));
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.#process?.kill();
    this.onclose?.();
    return Promise.resolve();
  }

  #take(chunk: Uint8Array): void {
    try {
      this.#lines.append(Buffer.from(chunk));
      for (let next = this.#lines.readMessage(); next !== null; next = this.#lines.readMessage())
        this.onmessage?.(next);
    } catch (thrown) {
      // A server that prints other things on its output: what is no message is passed over.
      this.onerror?.(toHostError(thrown, "tool_failed"));
    }
  }
}
