import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chatDialect } from "./chat.ts";
import type { Frame, ServerDialect } from "./dialect.ts";
import { withFault, wholeWithFault } from "./faults.ts";
import { messagesDialect } from "./messages.ts";
import type { RecordedRequest } from "./recorded.ts";
import { responsesDialect } from "./responses.ts";
import type { PlainAnswer, Reply } from "./reply.ts";
import { type Wire, write, writeOutputs } from "./write.ts";

/** What a server may be told to answer: a reply, a status, or whatever a function does with the bare response. */
export type Answer = Reply | PlainAnswer | ((response: ServerResponse) => void | Promise<void>);

export interface ModelServerOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Answers requests that no script is left for. */
  readonly answer?: (request: RecordedRequest) => Answer | Promise<Answer>;
  /** What `GET /v1/models` lists. */
  readonly models?: readonly string[];
  /** Answers to other requests, as JSON by method and path: `GET /props`. */
  readonly others?: Readonly<Record<string, unknown>>;
  /** Answers requests for lists of models in place of `models`. */
  readonly answerList?: (response: ServerResponse) => void;
}

/** A model server on 127.0.0.1. */
export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** As `model.base_url` takes it. */
  readonly baseUrl: string;
  /** Requests for replies, in the order of their arrival; lists of models are not among them. */
  readonly requests: readonly RecordedRequest[];
  /** Puts answers into the queue; each request takes one. */
  script(...answers: readonly Answer[]): void;
  /** The `n`th request, counted from 1, as soon as it is there. */
  request(n: number): Promise<RecordedRequest>;
  /** Lets all stalled answers go on, now and from now on. */
  release(): void;
  close(): Promise<void>;
}

const DIALECTS: readonly ServerDialect[] = [chatDialect, responsesDialect, messagesDialect];

/** Starts a server that speaks the dialects of model endpoints as it is told to, faults included. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const queue: Answer[] = [];
  const arrivals = new Set<() => void>();
  const released = Promise.withResolvers<void>();

  const onRequest = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
    const text = await readText(incoming);
    const dialect = DIALECTS.find(({ path }) => url.pathname.endsWith(path.slice("/v1".length)));
    if (dialect === undefined) {
      const other = options.others?.[`${incoming.method} ${url.pathname}`];
      if (other === undefined) return answerElsewhere(url.pathname, response, options);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(other));
      return;
    }
    const stalled = Promise.withResolvers<void>();
    const request = record({
      incoming,
      response,
      url,
      text,
      n: requests.length + 1,
      stalled: stalled.promise,
    });
    requests.push(request);
    for (const look of arrivals) look();
    const answer = queue.shift() ?? (await options.answer?.(request)) ?? NO_SCRIPT;
    await answerWith(answer, {
      request,
      dialect,
      response,
      async stall() {
        stalled.resolve();
        await Promise.race([released.promise, request.over]);
      },
    });
  };

  const server = createServer({ requestTimeout: 0 }, (incoming, response) => {
    onRequest(incoming, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  const port = await listen(server, options.port ?? 0);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    baseUrl: `${url}/v1`,
    requests,
    script: (...answers) => void queue.push(...answers),
    request(n) {
      const { promise, resolve } = Promise.withResolvers<RecordedRequest>();
      const look = (): void => {
        const found = requests[n - 1];
        if (found === undefined) return;
        arrivals.delete(look);
        resolve(found);
      };
      arrivals.add(look);
      look();
      return promise;
    },
    release: released.resolve,
    close: () => close(server),
    [Symbol.asyncDispose]: () => close(server),
  };
}

const NO_SCRIPT: PlainAnswer = { status: 500, body: "The test server has no answer left: script one." };

interface Turn {
  readonly request: RecordedRequest;
  readonly dialect: ServerDialect;
  readonly response: ServerResponse;
  stall(): Promise<void>;
}

async function answerWith(answer: Answer, turn: Turn): Promise<void> {
  const { response, dialect, request } = turn;
  if (typeof answer === "function") return answer(response);
  if ("status" in answer) {
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
    return;
  }
  const isStreamed = dialect.isStreamed(request);
  const wire: Wire = {
    response,
    headers: {
      "content-type": isStreamed ? "text/event-stream" : "application/json",
      "x-request-id": `req-${request.n}`,
    },
    stall: () => turn.stall(),
  };
  const isWhole = isStreamed ? await streamReply(answer, turn, wire) : await sendWhole(answer, turn, wire);
  if (isWhole) response.end();
}

async function sendWhole(reply: Reply, { dialect, request }: Turn, wire: Wire): Promise<boolean> {
  for (const step of reply.steps) if (step.type === "gate") await pass(step.gate, request);
  const body = Buffer.from(JSON.stringify(dialect.whole(reply, request)));
  return writeOutputs(wholeWithFault(body, reply.fault), wire);
}

async function streamReply(reply: Reply, { dialect, request }: Turn, wire: Wire): Promise<boolean> {
  const frames = dialect.frames(reply, request);
  if (frames.every((frame) => "place" in frame)) {
    const outputs = withFault(frames, reply.fault, dialect);
    if (reply.together !== true) return writeOutputs(outputs, wire);
    wire.response.writeHead(200, wire.headers);
    await write(wire.response, Buffer.concat(frames.map(({ text }) => Buffer.from(text))));
    return true;
  }
  // Gates and faults are not mixed: a gate alone already decides what the client has seen.
  wire.response.writeHead(200, wire.headers);
  wire.response.flushHeaders();
  for (const frame of frames) {
    if ("place" in frame) await write(wire.response, Buffer.from((frame satisfies Frame).text));
    else await pass(frame.gate, request);
  }
  return true;
}

async function pass(
  held: { arrive(): void; opened: Promise<void> },
  { over }: RecordedRequest,
): Promise<void> {
  held.arrive();
  await Promise.race([held.opened, over]);
}

function answerElsewhere(path: string, response: ServerResponse, options: ModelServerOptions): void {
  const { models = ["test-model"], answerList } = options;
  const isList = path.endsWith("/models");
  if (isList && answerList !== undefined) return answerList(response);
  const body = isList
    ? { object: "list", data: models.map((id) => ({ id, object: "model", owned_by: "test" })) }
    : { error: { message: `Unknown path ${path}`, type: "invalid_request_error" } };
  response.writeHead(isList ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function record(about: {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly text: string;
  readonly n: number;
  readonly stalled: Promise<void>;
}): RecordedRequest {
  const { incoming, response, url, text, n, stalled } = about;
  const over = Promise.withResolvers<"finished" | "closed">();
  response.on("close", () => over.resolve(response.writableFinished ? "finished" : "closed"));
  return {
    n,
    method: incoming.method ?? "",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: incoming.headers,
    text,
    body: parsed(text),
    port: incoming.socket.remotePort ?? 0,
    at: performance.now(),
    stalled,
    over: over.promise,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The test that sent it looks at the text.
    return undefined;
  }
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  // A request's body comes as buffers as long as no encoding is set.
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once("error", reject);
  // A server that listens on a port has an address with one.
  server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  return promise;
}

function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}

/** The base URL of a port on which nobody listens. */
export async function refusingUrl(): Promise<string> {
  const server = await startModelServer();
  await server.close();
  return server.baseUrl;
}
