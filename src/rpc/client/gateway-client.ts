import { addAbortListener } from "node:events";
import { type Clock, sleep, systemClock } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import { readOnce } from "../../shared/async/read-once.ts";
import { messageOf } from "../../shared/errors/host-error.ts";
import { readMessage } from "../../jsonrpc/index.ts";
import type { Input, MethodName, Result } from "../protocol/methods.ts";
import type { OpenRequest } from "../protocol/question.ts";
import type { ClientOptions, ClientState, Ready } from "./client-options.ts";
import { EventQueue } from "./event-queue.ts";
import type { ClientEvent, Reattached } from "./events.ts";
import { FollowedSessions } from "./followed-sessions.ts";
import { ABORTED, DISCONNECTED, GatewayError } from "./gateway-error.ts";
import { heartbeat } from "./heartbeat.ts";
import { type ClientTransport, type TransportEnd, TransportEnded, Refused } from "./transport.ts";
import { ServerRequests } from "./server-requests.ts";
import { PendingRequests } from "./pending-requests.ts";

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;

/**
 * A client of the gateway: requests with typed parameters and results, events, and a connection that comes back. Every
 * session that it created, resumed, activated, branched or submitted to is followed, also across reconnects.
 */
export class GatewayClient implements AsyncDisposable {
  readonly #options: ClientOptions;
  readonly #clock: Clock;
  readonly #requests = new PendingRequests();
  readonly #followed = new FollowedSessions();
  readonly #questions: ServerRequests;
  readonly #heartbeat: ReturnType<typeof heartbeat>;
  readonly #listeners = new Set<(event: ClientEvent) => void>();
  readonly #life = new AbortController();
  readonly #ready = Promise.withResolvers<Ready>();
  #connected = Promise.withResolvers<void>();
  #greeting = Promise.withResolvers<Ready>();
  #lost = Promise.withResolvers<TransportEnd>();
  #transport: ClientTransport | undefined;
  #state: ClientState = "connecting";
  #epoch: string | undefined;

  /** Connects at once; `ready` tells how that went. */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#questions = new ServerRequests(options.questions ?? {});
    this.#heartbeat = heartbeat(this.#clock, {
      ping: () => void this.#send("gateway.ping", {}).catch(() => undefined),
      dead: () => this.#transport?.close(),
    });
    for (const { promise } of [this.#ready, this.#connected]) promise.catch(() => undefined);
    void this.#run();
  }

  /** Resolves with the first event of the gateway. Rejects with `GatewayError` when it could not be reached the first time. */
  get ready(): Promise<Ready> {
    return this.#ready.promise;
  }

  get state(): ClientState {
    return this.#state;
  }

  /**
   * Calls a method. While the connection is being made, or made again, it waits.
   *
   * @throws GatewayError what the gateway answered; `DISCONNECTED` when the connection was lost before the answer,
   * `ABORTED` when the signal was; the gateway is told to stop then
   */
  async request<M extends MethodName>(
    method: M,
    params: Input<M>,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Result<M>> {
    await this.#connected.promise;
    const result = await this.#send(method, params, signal);
    this.#followed.answered(method, params, result);
    // The table of methods is the gateway's own: it answers what the table says.
    return result as Result<M>;
  }

  /** Calls back with every event, in order, until the returned function is called. */
  subscribe(listener: (event: ClientEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The events from now on, for one reader; it may be slow. Ends with the client, or with the signal. */
  events({ signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<ClientEvent, void> {
    const queue = new EventQueue();
    const leave = this.subscribe((event) => queue.push(event));
    const done = new AbortController();
    const end = (): void => {
      leave();
      queue.end();
      done.abort();
    };
    for (const over of [signal, this.#life.signal]) {
      if (over?.aborted === true) end();
      over?.addEventListener("abort", end, { once: true, signal: done.signal });
    }
    return readOnce(queue.read(end));
  }

  /** Leaves; sessions and turns go on. */
  close(): Promise<void> {
    this.#close("closed by this client");
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(): Promise<void> {
    let attempt = 0;
    while (!this.#life.signal.aborted) {
      const again = this.#epoch !== undefined;
      let end: TransportEnd;
      try {
        const ready = await this.#open();
        attempt = 0;
        if (again) await this.#reattach(ready);
        this.#opened(ready);
        end = await this.#lost.promise;
      } catch (thrown) {
        end =
          thrown instanceof TransportEnded
            ? thrown.end
            : { reason: messageOf(thrown), final: thrown instanceof Refused };
      }
      this.#dropTransport(end);
      attempt += 1;
      const { reconnect = true } = this.#options;
      if (end.final || !reconnect || this.#epoch === undefined) return this.#close(end.reason);
      this.#state = "reconnecting";
      const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
      this.#tell({
        type: "gateway.reconnecting",
        payload: { attempt, delay_ms: delay, reason: end.reason },
      });
      await sleep(this.#clock, delay, this.#life.signal);
    }
  }

  /** Opens a transport and waits for the gateway's first frame. */
  async #open(): Promise<Ready> {
    this.#greeting = Promise.withResolvers<Ready>();
    this.#lost = Promise.withResolvers<TransportEnd>();
    const lost = this.#lost;
    const listener = {
      message: (text: string): void => this.#message(text),
      stderr: (line: string): void => this.#tell({ type: "gateway.stderr", payload: { line } }),
      closed: (end: TransportEnd): void => lost.resolve(end),
    };
    const transport = await this.#options.connect(listener, this.#life.signal);
    if (this.#life.signal.aborted) {
      transport.close();
      throw new Error("closed");
    }
    this.#transport = transport;
    const ended = lost.promise.then((end) => Promise.reject(new TransportEnded(end)));
    const ready = await Promise.race([this.#greeting.promise, ended]);
    const { clientId } = this.#options;
    if (this.#questions.answers || clientId !== undefined) {
      const capabilities = { server_requests: this.#questions.answers, ...defined({ client_id: clientId }) };
      await this.#send("client.capabilities", capabilities);
    }
    return ready;
  }

  #opened(ready: Ready): void {
    this.#epoch = ready.replay_epoch;
    this.#state = "connected";
    if (ready.heartbeat) this.#heartbeat.start();
    this.#ready.resolve(ready);
    this.#connected.resolve();
  }

  /** Goes on with every followed session where its events stopped. */
  async #reattach({ replay_epoch }: Ready): Promise<void> {
    const attached: Reattached[] = [];
    const lost: string[] = [];
    for (const [session_id, seq] of this.#followed.entries().toArray()) {
      // Cursors of another store mean nothing here.
      const last_seen = replay_epoch === this.#epoch ? seq : undefined;
      const since = last_seen === undefined ? {} : { last_seen, omit_messages: true };
      try {
        const result = await this.#send("session.resume", { session_id, ...since });
        // As in `request`.
        const answer = result as Result<"session.resume">;
        this.#followed.set(session_id, answer.seq);
        attached.push({ ...answer, continued: answer.seq === last_seen });
      } catch (thrown) {
        if (!(thrown instanceof GatewayError) || thrown.code === DISCONNECTED) throw thrown;
        this.#followed.delete(session_id);
        lost.push(session_id);
      }
    }
    this.#tell({ type: "gateway.reconnected", payload: { attached, lost } });
  }

  #dropTransport({ reason }: TransportEnd): void {
    this.#heartbeat.stop();
    this.#transport?.close();
    this.#transport = undefined;
    this.#requests.giveAll(new GatewayError(DISCONNECTED, `The connection to the gateway ended: ${reason}`));
    if (this.#state !== "connected") return;
    this.#connected = Promise.withResolvers<void>();
    this.#connected.promise.catch(() => undefined);
  }

  #close(reason: string): void {
    if (this.#life.signal.aborted) return;
    this.#dropTransport({ reason, final: true });
    this.#state = "closed";
    const error = new GatewayError(DISCONNECTED, `There is no gateway: ${reason}`);
    this.#ready.reject(error);
    this.#connected.reject(error);
    this.#tell({ type: "gateway.closed", payload: { reason } });
    this.#life.abort();
    this.#lost.resolve({ reason, final: true });
  }

  async #send(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    if (signal?.aborted === true) throw new GatewayError(ABORTED, `${method} was not sent: it was aborted.`);
    const transport = this.#transport;
    if (transport === undefined)
      throw new GatewayError(DISCONNECTED, "There is no connection to the gateway.");
    const { id, answer } = this.#requests.add();
    const abort = (): void => {
      transport.send(JSON.stringify({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } }));
      this.#requests.give(id, new GatewayError(ABORTED, `${method} was aborted.`));
    };
    using listening = new DisposableStack();
    listening.use(signal && addAbortListener(signal, abort));
    transport.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return await answer;
  }

  #message(text: string): void {
    this.#heartbeat.heard();
    const message = readMessage(text, { clean: false });
    // The tables of the gateway say what it sends; it is not checked again.
    switch (message.type) {
      case "blank":
      case "invalid":
        return this.#tell({ type: "gateway.protocol_error", payload: { preview: text.slice(0, 240) } });
      case "notification":
        if (message.method === "event") this.#event(message.params as ClientEvent);
        return;
      case "response":
        if (typeof message.id === "string") this.#requests.settle(message.id, message.body);
        return;
      case "request": {
        const transport = this.#transport;
        return this.#questions.take(message as unknown as OpenRequest, (reply) =>
          transport?.send(JSON.stringify({ jsonrpc: "2.0", ...reply })),
        );
      }
    }
  }

  #event(event: ClientEvent): void {
    if (event.type === "gateway.ready") this.#greeting.resolve(event.payload);
    if (event.type === "request.cancel") this.#questions.cancel(event.payload.id);
    this.#followed.seen(event);
    this.#tell(event);
  }

  #tell(event: ClientEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
