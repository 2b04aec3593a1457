import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type ServerOptions, TestServer } from "./test-server.ts";

export interface WebServer extends AsyncDisposable {
  readonly origin: string;
  readonly requests: readonly IncomingMessage[];
  /** Looks at each request first; `true` when it has answered. */
  guard: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** What the next requests are answered with instead; `undefined` ends that. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** Forgets all sessions, as a server does that was started again. */
  forget(): void;
}

/** The test's server over HTTP: at `/mcp` in the newer way, at `/sse` in the older one. */
export async function webServer(options: ServerOptions = {}): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  let sessions = new Map<string, Exchange>();
  let made = 0;
  const server = createServer((request, response) => {
    requests.push(request);
    if (web.guard?.(request, response) === true) return;
    if (web.instead !== undefined) return web.instead(request, response);
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const url = new URL(request.url ?? "/", "http://here");
    if (request.method === "GET" && url.pathname === "/sse") {
      const id = `old${(made += 1)}`;
      const exchange = new Exchange(options);
      sessions.set(id, exchange);
      exchange.listen(response);
      response.write(`event: endpoint\ndata: /messages?id=${id}\n\n`);
    } else if (request.method === "POST" && url.pathname === "/messages") {
      sessions.get(url.searchParams.get("id") ?? "")?.take(body);
      response.writeHead(202).end();
    } else if (request.method === "GET") response.writeHead(405).end();
    else if (request.method === "DELETE") response.writeHead(200).end();
    else takePost(request, response, body);
  };
  const takePost = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const message = JSON.parse(body) as { readonly id?: number; readonly method?: string };
    const isFirst = message.method === "initialize";
    const id = isFirst ? `new${(made += 1)}` : String(request.headers["mcp-session-id"]);
    if (isFirst) sessions.set(id, new Exchange(options));
    const exchange = sessions.get(id);
    response.setHeader("mcp-session-id", id);
    if (exchange === undefined) response.writeHead(404).end();
    else if (message.id === undefined || message.method === undefined) {
      exchange.take(body);
      response.writeHead(202).end();
    } else {
      exchange.listen(response, message.id);
      exchange.take(body);
    }
  };
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  // It listens on a port.
  const { port } = server.address() as AddressInfo;
  const web: WebServer = {
    origin: `http://127.0.0.1:${port}`,
    requests,
    guard: undefined,
    instead: undefined,
    forget: () => void (sessions = new Map()),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return web;
}

/** One session: what the server writes goes to the stream of the request that it answers, or to the newest one. */
class Exchange {
  readonly #server: TestServer;
  readonly #streams = new Map<number | undefined, ServerResponse>();

  constructor(options: ServerOptions) {
    this.#server = new TestServer(options, {
      write: (line) => this.#write(line),
      complain: () => Promise.resolve(),
      die: () => void [...this.#streams.values()].at(-1)?.destroy(),
      note: () => undefined,
      facts: {},
    });
  }

  listen(response: ServerResponse, id?: number): void {
    this.#streams.set(id, response);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    response.once("close", () => this.#streams.delete(id));
  }

  take(line: string): void {
    this.#server.take(line);
  }

  async #write(line: string): Promise<void> {
    const { id, method } = JSON.parse(line) as { readonly id?: number; readonly method?: string };
    const own = method === undefined ? this.#streams.get(id) : undefined;
    const response = own ?? [...this.#streams.values()].at(-1);
    if (response === undefined || response.destroyed) return;
    if (!response.write(`event: message\ndata: ${line.trim()}\n\n`)) await once(response, "drain");
    if (own !== undefined) own.end();
  }
}
