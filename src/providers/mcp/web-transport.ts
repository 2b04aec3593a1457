import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { defined } from "../../shared/json/defined.ts";
import { FLOODED, FlowGuard, LARGEST_SERVER_MESSAGE, TOO_LARGE } from "./flow-guard.ts";
import { OpenRequests } from "./message.ts";
import type { WebServer } from "./server.ts";
import type { McpHost, ServerWeb, WebFetch } from "./host.ts";

/** JSON-RPC's number for what went wrong in between. */
const BROKEN_OFF = -32_000;

/**
 * Messages over HTTP, one way or the other, within bounds: what is too long ends the connection, and a request whose
 * stream breaks off is answered with an error, so that nobody waits for it.
 */
export class WebTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #inner: StreamableHTTPClientTransport | SSEClientTransport;
  readonly #web: ServerWeb;
  readonly #open = new OpenRequests();
  readonly #flow: FlowGuard;
  #isStarted = false;
  #isClosed = false;
  #lastWords: string | undefined;

  constructor(server: WebServer, host: Pick<McpHost, "clock" | "web">) {
    this.#flow = new FlowGuard(host.clock);
    this.#web = host.web(server);
    const options = {
      requestInit: { headers: { ...server.headers } },
      fetch: bounded(this.#web.fetch, () => this.#end(TOO_LARGE)),
    };
    const url = new URL(server.url);
    this.#inner =
      server.type === "http"
        ? new StreamableHTTPClientTransport(url, options)
        : new SSEClientTransport(url, options);
    /* oxlint-disable unicorn/prefer-add-event-listener -- the SDK knows no other way */
    this.#inner.onmessage = (message) => this.#take(message);
    this.#inner.onerror = (error) => this.#failed(error);
    this.#inner.onclose = () => void this.close();
    /* oxlint-enable unicorn/prefer-add-event-listener */
  }

  /** What is to be said of the connection's end, when it was not this side's wish. */
  get lastWords(): string | undefined {
    return this.#lastWords;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    await this.#inner.start();
    this.#isStarted = true;
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    this.#open.sent(message);
    if (!(this.#inner instanceof StreamableHTTPClientTransport)) return await this.#inner.send(message);
    const onRequestStreamEnd = (): void => this.#brokeOff(message);
    const { resumptionToken, onresumptiontoken, requestSignal, headers } = options;
    const given = defined({ resumptionToken, onresumptiontoken, requestSignal, headers });
    await this.#inner.send(message, { ...given, onRequestStreamEnd });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#inner.close();
    await this.#web[Symbol.asyncDispose]();
    this.onclose?.();
  }

  /** Tells the server that nobody comes back to its session; what it takes is not waited for. */
  async leave(): Promise<void> {
    if (this.#inner instanceof StreamableHTTPClientTransport && !this.#isClosed)
      await this.#inner.terminateSession();
  }

  #take(message: JSONRPCMessage): void {
    if (this.#isClosed) return;
    if (!this.#open.answers(message) && !this.#flow.take(JSON.stringify(message).length))
      return this.#end(FLOODED);
    this.onmessage?.(message);
  }

  #brokeOff(message: JSONRPCMessage): void {
    if (!isJSONRPCRequest(message) || !this.#open.has(message.id)) return;
    const error = { code: BROKEN_OFF, message: "the connection broke off before the answer" };
    this.#take({ jsonrpc: "2.0", id: message.id, error });
  }

  #failed(error: Error): void {
    // The stream of the older kind carries all answers: without it none comes.
    if (error instanceof SseError && this.#isStarted) return this.#end("the connection has ended");
    this.onerror?.(error);
  }

  #end(why: string): void {
    if (this.#isClosed) return;
    this.#lastWords ??= why;
    this.onerror?.(new Error(why));
    void this.close();
  }
}

const NEWLINE = 0x0a;

/** Answers whose bodies end with an error where a message, or a body that is no stream of messages, gets too long. */
function bounded(fetch: WebFetch, tooLarge: () => void): WebFetch {
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (answer.body === null) return answer;
    const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    let size = 0;
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        const newline = isStream ? chunk.lastIndexOf(NEWLINE) : -1;
        size = newline === -1 ? size + chunk.byteLength : chunk.byteLength - newline;
        if (size <= LARGEST_SERVER_MESSAGE) return out.enqueue(chunk);
        tooLarge();
        out.error(new Error(TOO_LARGE));
      },
    });
    const { status, statusText, headers } = answer;
    return Object.defineProperty(
      new Response(answer.body.pipeThrough(limit), { status, statusText, headers }),
      "url",
      { value: answer.url },
    );
  };
}
