import type { Agent, ClientRequest, IncomingMessage, request, RequestOptions } from "node:http";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { urlToHttpOptions } from "node:url";
import { defined } from "../../../shared/json/defined.ts";
import { LastResult } from "../../../shared/memo/last-result.ts";
import {
  MODEL_CONNECT_MS,
  type HttpClient,
  type HttpRequest,
  KEEP_ALIVE_MS,
  lengthHeader,
} from "./http-client.ts";

/**
 * Node's own modules, taken without `import`: that would read each of their exports, and so load the HTTP client inside
 * Node, which costs more than all the rest.
 */
const require = createRequire(import.meta.url);
const NAMES = { "http:": "node:http", "https:": "node:https" } as const;

interface HttpModule {
  readonly Agent: typeof Agent;
  readonly request: typeof request;
}
type Scheme = keyof typeof NAMES;

/** One scheme's module, with the connections that are kept. */
interface SchemeClient {
  readonly request: HttpModule["request"];
  readonly agent: Agent;
}

function schemeClient(scheme: Scheme): SchemeClient {
  const module: HttpModule = require(NAMES[scheme]);
  return { request: module.request, agent: new module.Agent({ keepAlive: true, timeout: KEEP_ALIVE_MS }) };
}

/** Opens the client for hosts that are reached without a proxy. */
export function directClient(): HttpClient {
  const clients = new Map<Scheme, SchemeClient>();
  const address = new LastResult<Address>();
  const clientFor = (scheme: Scheme): SchemeClient => {
    const client = clients.get(scheme) ?? schemeClient(scheme);
    clients.set(scheme, client);
    return client;
  };
  return {
    async send(request) {
      const { scheme, options } = address.of([request.url], () => addressOf(request.url));
      const answer = await post(options, request, clientFor(scheme));
      return {
        status: answer.statusCode ?? 0,
        header: (name) => answer.headersDistinct[name]?.[0],
        body: answer,
      };
    },
    close() {
      for (const { agent } of clients.values()) agent.destroy();
      return Promise.resolve();
    },
  };
}

/** An address as Node's modules take it. */
interface Address {
  readonly scheme: Scheme;
  readonly options: RequestOptions;
}

function addressOf(text: string): Address {
  const url = new URL(text);
  // Names and passwords in the address are not sent.
  const { auth: _none, ...options } = urlToHttpOptions(url);
  return { scheme: url.protocol === "https:" ? "https:" : "http:", options };
}

/** Sends a request. Resolves when the head of the response is there. */
function post(address: RequestOptions, request: HttpRequest, client: SchemeClient): Promise<IncomingMessage> {
  const { method, headers, body, signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    ...address,
    method,
    headers: { ...headers, ...lengthHeader(body) },
    agent: client.agent,
    ...defined({ signal }),
  };
  const sent = client.request(options);
  sent.once("response", resolve);
  // Stays: after the response, an error shows on its body too.
  sent.on("error", reject);
  sent.once("socket", limitConnecting);
  if (typeof body === "object") writePieces(sent, body);
  else sent.end(body);
  return promise;
}

/** Hands all to the system at once; joined, the pieces would be copied. */
function writePieces(sent: ClientRequest, pieces: readonly Uint8Array[]): void {
  sent.cork();
  for (const piece of pieces) sent.write(piece);
  sent.end();
  sent.uncork();
}

/** Ends a socket that is not connected in time; a silent one is judged by the timeouts of model calls. */
function limitConnecting(socket: Socket): void {
  if (!socket.connecting) return;
  const timeout = setTimeout(
    () => socket.destroy(Object.assign(new Error("The connection took too long."), { code: "ETIMEDOUT" })),
    MODEL_CONNECT_MS,
  );
  socket.once("connect", () => clearTimeout(timeout)).once("close", () => clearTimeout(timeout));
}
