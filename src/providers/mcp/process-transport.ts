import { type JSONRPCMessage, serializeMessage } from "@modelcontextprotocol/client";
import { LineSplitter, readMessage } from "../../jsonrpc/index.ts";
import { toolFailed } from "../../shared/errors/host-error.ts";
import { BoundedTransport, LARGEST_SERVER_MESSAGE, TOO_LARGE } from "./bounded-transport.ts";
import type { McpHost, ServerProcess } from "./host.ts";
import type { ProcessServer } from "./server.ts";

/** Messages as lines between this process and a server's program. */
export class ProcessTransport extends BoundedTransport {
  readonly #server: ProcessServer;
  readonly #host: McpHost;
  readonly #lines = new LineSplitter(LARGEST_SERVER_MESSAGE);
  #process: ServerProcess | undefined;

  constructor(server: ProcessServer, host: McpHost) {
    super(host.clock);
    this.#server = server;
    this.#host = host;
  }

  async start(): Promise<void> {
    const { start, cwd, session } = this.#host;
    const started = await start({
      server: this.#server,
      cwd: this.#server.cwd ?? cwd,
      session,
      output: (chunk) => this.#take(chunk),
      complained: (bytes) => this.unasked(bytes),
    });
    this.#process = started;
    if (this.isClosed) return started.kill();
    void started.ended.then((why) => this.end(why));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined || this.isClosed) throw toolFailed(this.endReason ?? "it is not running");
    this.sent(message);
    await this.#process.write(serializeMessage(message));
  }

  protected release(): void {
    this.#process?.kill();
  }

  #take(chunk: Uint8Array): void {
    if (this.isClosed) return;
    for (const line of this.#lines.push(chunk)) {
      if (line.type === "too-long") return this.end(TOO_LARGE);
      this.#line(line.text);
    }
    if (this.#lines.overlong) this.end(TOO_LARGE);
  }

  /** Takes a line; one that is no message is passed over: some servers print other things on their output. */
  #line(line: string): void {
    // Most of what is no message does not begin like one, and an exception for each line would cost much.
    const message = /^\s*\{/.test(line) ? readMessage(line, { version: true, clean: false }) : undefined;
    if (message === undefined || !("body" in message)) return this.unasked(line.length);
    // The library checks each part of it before it is used.
    this.receive(message.body as unknown as JSONRPCMessage, () => line.length);
  }
}
