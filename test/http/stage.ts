import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import OpenAI from "openai";
import type { HostOptions, Models } from "../../src/core/index.ts";
import {
  API_DEFAULTS,
  apiServer,
  type ApiServer,
  type ApiServerOptions,
  type ServerLogRecord,
  Metrics,
} from "../../src/http/index.ts";
import { hostWith, type TestHost } from "../kit/test-host.ts";

export const KEY = "test-key-0123456789";

export interface StageOptions {
  readonly settings?: Partial<ApiServerOptions["settings"]>;
  readonly images?: ApiServerOptions["images"];
  readonly host?: Partial<HostOptions>;
  readonly jobs?: ApiServerOptions["jobs"];
  readonly userOf?: ApiServerOptions["userOf"];
}

/** A real API server on 127.0.0.1, on a host with a model of the test's. */
export interface Stage extends AsyncDisposable {
  readonly host: TestHost;
  readonly api: ApiServer;
  readonly url: string;
  readonly port: number;
  readonly log: readonly ServerLogRecord[];
  /** The stock client, as anybody would make it. */
  readonly openai: OpenAI;
  /** Asks with the key. */
  ask(path: string, init?: AskInit): Promise<Response>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

interface AskInit {
  readonly method?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export async function stageWith(models: Models, options: StageOptions = {}): Promise<Stage> {
  const metrics = new Metrics();
  const host = await hostWith(models, { observe: (_session, row) => metrics.row(row), ...options.host });
  const log: ServerLogRecord[] = [];

  const api = apiServer(host, {
    settings: {
      ...API_DEFAULTS,
      key: KEY,
      corsOrigins: [],
      hostNames: [],
      workspace: "/",
      ...options.settings,
    },
    images: options.images ?? { fetch: () => Promise.reject(new Error("no images here")) },
    stats: {
      version: "0.0.0",
      pid: 1,
      startedAt: 0,
      memory: () => ({ rss: 1, heapUsed: 1 }),
      cpu: () => ({ user: 1, system: 1 }),
      loopDelay: () => ({ p50: 0.001, p99: 0.002, max: 0.003 }),
      disk: () => Promise.resolve(undefined),
    },
    log: (record) => log.push(record),
    metrics,
    ...(options.jobs === undefined ? {} : { jobs: options.jobs }),
    ...(options.userOf === undefined ? {} : { userOf: options.userOf }),
  });
  const listening = await api.listen({ host: "127.0.0.1", port: 0 });
  const { url, port } = listening;
  const ask = (path: string, { headers, ...init }: AskInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${KEY}`, ...headers } });
  return {
    host,
    api,
    url,
    port,
    log,
    openai: new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, maxRetries: 0 }),
    ask,
    post: (path, body, headers) =>
      ask(path, {
        method: "POST",
        body: JSON.stringify(body),
        ...(headers === undefined ? {} : { headers }),
      }),
    [Symbol.asyncDispose]: async () => {
      await host.close();
      api.sayGoodbye();
      api.close();
      await listening.close();
    },
  };
}

/** One event of a stream, as it is on the wire. */
export interface WireEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Reads an event stream's text; comments are left out. */
export function wireEvents(text: string): readonly WireEvent[] {
  return text
    .split("\n\n")
    .map((block) => block.split("\n").filter((line) => line !== "" && !line.startsWith(":")))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const field = (name: string): string =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? "";
      return { event: field("event"), id: field("id"), data: field("data") };
    });
}

/** A streamed answer that is read piece by piece and can be left at any byte. */
export interface RawStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What has come so far. */
  readonly text: string;
  /** Resolves when the text so far matches. */
  until(matches: (text: string) => boolean): Promise<string>;
  /** Resolves with all of it at its end. */
  readonly end: Promise<string>;
  pause(): void;
  resume(): void;
  leave(): void;
}

/** Opens a stream over a socket of its own. */
export async function openStream(
  stage: Pick<Stage, "port">,
  path: string,
  {
    method = "GET",
    body,
    headers,
  }: { method?: string; body?: unknown; headers?: Readonly<Record<string, string>> } = {},
): Promise<RawStream> {
  const call = httpRequest({
    host: "127.0.0.1",
    port: stage.port,
    path,
    method,
    agent: false,
    headers: { authorization: `Bearer ${KEY}`, ...headers },
  });
  call.on("error", () => undefined);
  call.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  let text = "";
  const waiting = new Set<() => void>();
  const look = (): void => waiting.forEach((each) => each());
  response.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    look();
  });
  response.on("error", () => undefined);
  const ended = Promise.withResolvers<string>();
  response.on("close", () => ended.resolve(text));
  const end = ended.promise;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    get text() {
      return text;
    },
    until(matches) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const check = (): void => {
        if (!matches(text)) return;
        waiting.delete(check);
        resolve(text);
      };
      waiting.add(check);
      check();
      void end.then(() => reject(new Error(`The stream ended before that came: ${text.slice(-500)}`)));
      return promise;
    },
    end,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    leave: () => void call.destroy(),
  };
}

/** Sends bytes as they are and gives everything that comes back until the connection closes. */
export async function rawRequest(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket: Socket = connect(port, "127.0.0.1");
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(bytes);
  await once(socket, "close");
  return Buffer.concat(pieces).toString("latin1");
}
