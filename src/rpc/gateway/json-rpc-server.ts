import { toHostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import {
  errorResponse,
  PacedQueue,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type JsonRpcError,
  type JsonRpcMessage,
  readMessage,
  type RequestId,
} from "../../jsonrpc/index.ts";
import type { FlowControl } from "./flow-control.ts";

/** A request of a client, or a notification, on its way to its method. */
export interface GatewayRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal;
  /** Runs when the response is on its way: what it does cannot overtake the response. */
  readonly afterResponse: (run: () => void) => void;
}

/** The result of a request, or the error that it ended with. */
export type GatewayResponse = { readonly result: object } | { readonly error: JsonRpcError };

/** The response of a client to a request of the host. */
export type ClientResponse = { readonly result: unknown } | { readonly error: { readonly code: number } };

/** The functions that a connection brings to its JSON-RPC server. */
export interface JsonRpcServerPorts {
  /** Never rejects. */
  readonly handle: (request: GatewayRequest) => Promise<GatewayResponse>;
  readonly responded: (id: string, response: ClientResponse) => void;
  readonly report: (thrown: unknown) => void;
}

interface RunningRequest {
  /** `undefined` for a notification, which gets no response. */
  readonly id: RequestId | undefined;
  readonly cancel: AbortController;
}

/**
 * JSON-RPC on one connection: reads messages, lets requests run side by side, cancels them, and responds to each once
 * under the id that its client gave it. Clients may use one id twice. Requests of the host to the client are not kept
 * here: they are open for hours, on several connections, and may end elsewhere.
 */
export class JsonRpcServer {
  readonly #flow: FlowControl;
  readonly #ports: JsonRpcServerPorts;
  readonly #running = new Set<RunningRequest>();
  /** Many prompts may come in one chunk: the first of them shall not wait until the last has begun. */
  readonly #inbox = new PacedQueue<string>((text) => this.#received(text));

  constructor(flow: FlowControl, ports: JsonRpcServerPorts) {
    this.#flow = flow;
    this.#ports = ports;
  }

  /** Takes one message of the client, after those that came before. Never throws. */
  receive(text: string): void {
    this.#flow.working(1);
    this.#inbox.push(text);
  }

  #received(text: string): void {
    try {
      this.#take(readMessage(text));
    } catch (thrown) {
      this.#ports.report(thrown);
    } finally {
      this.#flow.working(-1);
    }
  }

  refuse(id: RequestId, error: JsonRpcError): void {
    void this.#flow.send(JSON.stringify(errorResponse(id, error)));
  }

  #take(message: JsonRpcMessage): void {
    switch (message.type) {
      case "blank":
        return;
      case "invalid":
        return this.refuse(message.id, message.error);
      case "response":
        return this.#response(message);
      case "notification":
        // The methods that begin with `$/` belong to the protocol; unknown ones may be ignored.
        if (!message.method.startsWith("$/")) return this.#request(message);
        if (message.method === "$/cancelRequest") this.#cancel(message.params);
        return;
      case "request":
        return this.#request(message);
    }
  }

  #request(message: Extract<JsonRpcMessage, { readonly type: "request" | "notification" }>): void {
    const { method } = message;
    const id = message.type === "request" ? message.id : undefined;
    const params = message.params ?? {};
    if (isJsonObject(params)) return void this.#run(id, method, params);
    if (id === undefined) return;
    const text = `The params of ${method.slice(0, SHOWN)} must be an object, with the parameters by name.`;
    this.refuse(id, { code: INVALID_PARAMS, message: text, data: { code: "invalid_params", path: "" } });
  }

  async #run(id: RequestId | undefined, method: string, params: GatewayRequest["params"]): Promise<void> {
    const running: RunningRequest = { id, cancel: new AbortController() };
    const after: (() => void)[] = [];
    this.#running.add(running);
    if (id !== undefined) this.#flow.working(1);
    const response = await this.#ports.handle({
      method,
      params,
      signal: running.cancel.signal,
      afterResponse: (run) => void after.push(run),
    });
    this.#running.delete(running);
    if (id !== undefined) {
      void this.#flow.send(encoded(id, response));
      this.#flow.working(-1);
    }
    for (const run of after) run();
  }

  #cancel(params: unknown): void {
    if (!isJsonObject(params)) return;
    for (const { id, cancel } of this.#running) if (id !== undefined && id === params["id"]) cancel.abort();
  }

  #response({ id, body }: Extract<JsonRpcMessage, { readonly type: "response" }>): void {
    const { result, error } = body;
    if (result === undefined && error === undefined) {
      const message = "A request must have a method, which is a string.";
      return this.refuse(id, { code: INVALID_REQUEST, message });
    }
    // All ids of the host are strings.
    if (typeof id !== "string") return;
    if (error === undefined || error === null) return this.#ports.responded(id, { result });
    const code = isJsonObject(error) && typeof error["code"] === "number" ? error["code"] : 0;
    this.#ports.responded(id, { error: { code } });
  }
}

/** Characters of what a client sent that an error shows. */
const SHOWN = 80;

/** A response that cannot be written, because it is longer than a string may be, is answered all the same. */
function encoded(id: RequestId, response: GatewayResponse): string {
  try {
    return JSON.stringify({ jsonrpc: "2.0", id, ...response });
  } catch (thrown) {
    const message = `The response could not be written: ${toHostError(thrown).message}`;
    return JSON.stringify(errorResponse(id, { code: INTERNAL_ERROR, message }));
  }
}
