import {
  CancellationToken,
  createMessageConnection,
  type DataCallback,
  Disposable,
  type Message,
  type MessageConnection,
  type MessageReader,
  type MessageWriter,
  NullLogger,
  ResponseError,
} from "vscode-jsonrpc/node";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import { type ClientResponse, type Incoming, readMessage, type RequestId } from "./event-frame.ts";
import type { FlowControl } from "./flow-control.ts";
import { INTERNAL_ERROR, INVALID_REQUEST, type RpcError } from "./rpc-error.ts";

/** A request on its way through. */
export interface GatewayRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal;
  /** Runs when the answer is on its way: what it does cannot overtake the answer. */
  afterAnswer(run: () => void): void;
}

export type GatewayResponse = { readonly result: object } | { readonly error: RpcError };

/** What a connection does with what comes in. */
export interface JsonRpcServerPorts {
  /** Never rejects. */
  handle(call: GatewayRequest): Promise<GatewayResponse>;
  /** The client answered a request of the host. */
  answered(id: string, answer: ClientResponse): void;
  report(error: HostError): void;
}

/** A request as it goes through the connection layer: under a number of ours, as clients use the same id twice. */
interface Inner {
  readonly number: number;
  readonly given: Readonly<Record<string, unknown>>;
}

/**
 * JSON-RPC on one connection. The library underneath queues, dispatches, cancels and answers; this reads and writes
 * its messages, answers what is none, and keeps the ids as the client wrote them. Requests of the host to the client
 * do not go through the library: they are open for hours, on several connections, and end elsewhere.
 */
export class JsonRpcServer {
  readonly #outbox: FlowControl;
  readonly #ports: JsonRpcServerPorts;
  readonly #connection: MessageConnection;
  readonly #ids = new Map<number, RequestId>();
  readonly #after = new Map<number, (() => void)[]>();
  #deliver: DataCallback = () => undefined;
  #last = 0;

  constructor(outbox: FlowControl, ports: JsonRpcServerPorts) {
    this.#outbox = outbox;
    this.#ports = ports;
    this.#connection = createMessageConnection(this.#reader(), this.#writer(), NullLogger);
    this.#connection.onRequest((method: string, params: unknown, token: CancellationToken) =>
      // The library hands over what `#request` gave it.
      this.#run(method, params as Inner, token),
    );
    this.#connection.onNotification((method: string, params: unknown) => {
      void this.#run(method, params as Inner, CancellationToken.None).catch(() => undefined);
    });
    this.#connection.listen();
  }

  /** Takes one message of the client. */
  take(text: string): void {
    const incoming = readMessage(text);
    try {
      this.#dispatch(incoming);
    } catch (thrown) {
      this.#ports.report(toHostError(thrown));
    }
  }

  /** Says that a message was too large to be taken. */
  refuse(message: string): void {
    this.#refused(null, { code: INVALID_REQUEST, message });
  }

  /** Sends a notification or a request of the host. */
  send(message: object): Promise<void> {
    return this.#outbox.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  close(): void {
    this.#connection.dispose();
  }

  #dispatch(incoming: Incoming): void {
    switch (incoming.kind) {
      case "nothing":
        return;
      case "refused":
        return this.#refused(incoming.id, incoming.error);
      case "answer":
        return this.#ports.answered(incoming.id, incoming.answer);
      case "request":
        return this.#request(incoming);
      case "notification":
        return this.#notification(incoming);
    }
  }

  #request({ id, method, params }: Extract<Incoming, { kind: "request" }>): void {
    this.#last += 1;
    this.#ids.set(this.#last, id);
    this.#outbox.working(1);
    const inner: Inner = { number: this.#last, given: params };
    this.#pass({ id: this.#last, method, params: inner });
  }

  #notification({ method, params }: Extract<Incoming, { kind: "notification" }>): void {
    if (method === "$/cancelRequest") return this.#cancel(params["id"]);
    // What begins with `$/` may be ignored, and the library's own ones are not for clients.
    if (method.startsWith("$/")) return;
    const inner: Inner = { number: 0, given: params };
    this.#pass({ method, params: inner });
  }

  #cancel(id: unknown): void {
    for (const [number, given] of this.#ids) {
      if (given === id) this.#pass({ method: "$/cancelRequest", params: { id: number } });
    }
  }

  #pass(message: object): void {
    this.#deliver({ jsonrpc: "2.0", ...message });
  }

  async #run(method: string, { number, given }: Inner, token: CancellationToken): Promise<object> {
    const cancelled = new AbortController();
    const listening = token.onCancellationRequested(() => cancelled.abort());
    const outcome = await this.#ports.handle({
      method,
      params: given,
      signal: cancelled.signal,
      afterAnswer: (run) => {
        if (number === 0) queueMicrotask(run);
        else this.#after.set(number, [...(this.#after.get(number) ?? []), run]);
      },
    });
    listening.dispose();
    if ("result" in outcome) return outcome.result;
    const { code, message, data } = outcome.error;
    throw new ResponseError(code, message, data);
  }

  #refused(id: RequestId, error: RpcError): void {
    void this.send({ id, error });
  }

  #reader(): MessageReader {
    return {
      onError: never,
      onClose: never,
      onPartialMessage: never,
      listen: (callback) => {
        this.#deliver = callback;
        return Disposable.create(() => undefined);
      },
      dispose: () => undefined,
    };
  }

  #writer(): MessageWriter {
    return {
      onError: never,
      onClose: never,
      write: (message) => this.#answer(message),
      end: () => undefined,
      dispose: () => undefined,
    };
  }

  /** The library writes answers only; they get the client's own id back. */
  async #answer(message: Message): Promise<void> {
    const { id: number } = message as Message & { readonly id: number };
    const id = this.#ids.get(number);
    this.#ids.delete(number);
    const after = this.#after.get(number) ?? [];
    this.#after.delete(number);
    const sent = this.#outbox.send(encoded({ ...message, id }));
    this.#outbox.working(-1);
    for (const run of after) run();
    await sent;
  }
}

/** An answer that cannot be written, because it is longer than a string may be, is answered all the same. */
function encoded(answer: { readonly id: RequestId | undefined }): string {
  try {
    return JSON.stringify(answer);
  } catch (thrown) {
    const message = `The answer could not be written: ${toHostError(thrown).message}`;
    return JSON.stringify({ jsonrpc: "2.0", id: answer.id, error: { code: INTERNAL_ERROR, message } });
  }
}

const never = (): Disposable => Disposable.create(() => undefined);
