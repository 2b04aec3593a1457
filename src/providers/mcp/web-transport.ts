import {
  type JSONRPCMessage,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { defined } from "../../shared/json/defined.ts";
import { BoundedTransport, LARGEST_SERVER_MESSAGE, TOO_LARGE } from "./bounded-transport.ts";
import type { McpHost } from "./host.ts";
import { LoginBearer } from "./oauth/bearer.ts";
import type { ServerWeb, WebFetch } from "./server-web.ts";
import type { WebServer } from "./server.ts";

/** JSON-RPC's number for what went wrong in between. */
const BROKEN_OFF = -32_000;

/**
 * Messages over HTTP, one way or the other. A request whose stream breaks off is answered with an error, so that nobody
 * waits for it.
 */
export class WebTransport extends BoundedTransport {
  readonly #inner: StreamableHTTPClientTransport | SSEClientTransport;
  readonly #web: ServerWeb;
  #isStarted = false;

  constructor(server: WebServer, host: Pick<McpHost, "clock" | "web" | "login">) {
    super(host.clock);
    this.#web = host.web(server);
    const login = host.login?.(server);
    const options = {
      ...(login && { authProvider: new LoginBearer(login, host.clock) }),
      requestInit: { headers: { ...server.headers } },
      fetch: bounded(this.#web.fetch, () => this.end(TOO_LARGE)),
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

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    await this.#inner.start();
    this.#isStarted = true;
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    this.sent(message);
    if (!(this.#inner instanceof StreamableHTTPClientTransport)) return await this.#inner.send(message);
    const onRequestStreamEnd = (): void => this.#brokeOff(message);
    const { resumptionToken, onresumptiontoken, requestSignal, headers } = options;
    const given = defined({ resumptionToken, onresumptiontoken, requestSignal, headers });
    await this.#inner.send(message, { ...given, onRequestStreamEnd });
  }

  /** Tells the server that nobody comes back to its session; what it takes is not waited for. */
  async leave(): Promise<void> {
    if (this.#inner instanceof StreamableHTTPClientTransport && !this.isClosed)
      await this.#inner.terminateSession();
  }

  protected async release(): Promise<void> {
    await this.#inner.close();
    await this.#web[Symbol.asyncDispose]();
  }

  #take(message: JSONRPCMessage): void {
    this.receive(message, () => JSON.stringify(message).length);
  }

  #brokeOff(message: JSONRPCMessage): void {
    if (!this.isUnanswered(message)) return;
    const error = { code: BROKEN_OFF, message: "the connection broke off before the answer" };
    this.#take({ jsonrpc: "2.0", id: message.id, error });
  }

  #failed(error: Error): void {
    // The stream of the older kind carries all answers: without it none comes.
    if (error instanceof SseError && this.#isStarted) return this.end("the connection has ended");
    this.onerror?.(error);
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
