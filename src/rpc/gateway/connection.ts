import type { Origin, Session } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { encodeOpenRequest, isQuestionEvent, questionEvent } from "../encode/question.ts";
import { sessionInfo } from "../encode/session-info.ts";
import { INVALID_REQUEST, METHOD_NOT_FOUND } from "../../jsonrpc/index.ts";
import type { EventBody, Payload } from "../protocol/events.ts";
import type { OpenRequest } from "../protocol/question.ts";
import type { Peer, Receiver, Wire } from "../wire.ts";
import type { GatewayContext, Subscriber } from "./gateway-context.ts";
import { SessionFollower } from "./session-follower.ts";
import { eventFrame, type EventPlace, notification } from "./event-frame.ts";
import type { OpenSession } from "./open-sessions.ts";
import { FlowControl } from "./flow-control.ts";
import {
  type ClientResponse,
  type GatewayRequest,
  type GatewayResponse,
  JsonRpcServer,
} from "./json-rpc-server.ts";
import { acceptResponse } from "./accept-response.ts";

/** The parts of a connection. */
export interface ConnectionOptions {
  readonly gateway: GatewayContext;
  readonly wire: Wire;
  readonly id: string;
  /** Carries a request out; never rejects. */
  readonly handle: (request: GatewayRequest, connection: Connection) => Promise<GatewayResponse>;
  readonly closed: () => void;
}

interface Following {
  readonly opened: OpenSession;
  readonly follower: SessionFollower;
  /** Takes back the width that this client has told. */
  forgetWidth?: () => void;
}

/** One client: what it can, which sessions it follows, and everything that goes to it. */
export class Connection implements Receiver, Subscriber {
  readonly id: string;
  readonly #options: ConnectionOptions;
  readonly #flow: FlowControl;
  readonly #server: JsonRpcServer;
  readonly #following = new Map<string, Following>();
  /** Requests of the host that are open here, with the session that asks. */
  readonly #asked = new Map<string, { readonly session: string; readonly request: OpenRequest }>();
  readonly #whenClosed: (() => void)[] = [];
  #serverRequests = false;
  #clientId: string;
  #closed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.id = options.id;
    this.#clientId = options.id;
    this.#flow = new FlowControl(options.wire);
    this.#server = new JsonRpcServer(this.#flow, {
      handle: (request) => options.handle(request, this),
      responded: (id, response) => this.#responded(id, response),
      report: (thrown) => options.gateway.report(thrown),
    });
  }

  /** The person at this connection, as logs name them. */
  get origin(): Origin {
    return this.peer?.from ?? { surface: "gateway", client: this.#clientId };
  }

  /** The person who was let in by other means than the gateway's own. */
  get peer(): Peer | undefined {
    return this.#options.wire.peer;
  }

  /** The connection proves that it lives by pings of its client. */
  get heartbeat(): boolean {
    return this.#options.wire.heartbeat;
  }

  /** The person at this process's terminal is at the other end. */
  get attended(): true | undefined {
    return this.#options.wire.attended;
  }

  whenClosed(run: () => void): void {
    if (this.#closed) run();
    else this.#whenClosed.push(run);
  }

  /** Questions come as requests of the host from now on. */
  takeCapabilities(serverRequests: boolean, clientId: string | undefined): string {
    this.#serverRequests = serverRequests;
    this.#clientId = clientId ?? this.#clientId;
    return this.#clientId;
  }

  message(text: string): void {
    if (!this.#closed) this.#server.receive(text);
  }

  tooLarge(bytes: number): void {
    const message = `The message has ${bytes} bytes or more, which is too many; it was skipped.`;
    this.#server.refuse(null, { code: INVALID_REQUEST, message });
  }

  finish(): Promise<void> {
    return this.#flow.answered();
  }

  closed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#flow.end();
    for (const id of this.#following.keys()) void this.leave(id);
    for (const run of this.#whenClosed) run();
    this.#options.closed();
  }

  close(code: number, reason: string): void {
    this.#flow.close(code, reason);
  }

  notify({ type, payload }: EventBody): void {
    void this.#flow.send(notification({ type, session_id: "", payload }));
  }

  showInfo(): void {
    for (const { opened, follower } of this.#following.values()) {
      void sessionInfo(this.#options.gateway, opened.session).then(
        (payload) => follower.say({ type: "session.info", payload }),
        (thrown: unknown) => this.#options.gateway.report(thrown),
      );
    }
  }

  ready(payload: Payload<"gateway.ready">): void {
    void this.#flow.send(notification({ type: "gateway.ready", payload }));
  }

  follows(sessionId: string): boolean {
    return this.#following.has(sessionId);
  }

  /** Follows a session after a number; whoever follows it already stays where they are. */
  join(opened: OpenSession, seen: number): () => void {
    const { session } = opened;
    if (this.#closed || this.#following.has(session.id)) return () => undefined;
    const over = (): void => {
      if (this.#following.get(session.id)?.follower === follower) void this.leave(session.id);
    };
    const { gateway } = this.#options;
    const follower = new SessionFollower({ gateway, session, seen, sink: this, over });
    this.#following.set(session.id, { opened, follower });
    gateway.sessions.joined(opened);
    return () => follower.start();
  }

  /** Commands of a session that it follows write lines of this width from now on. */
  resize(sessionId: string, columns: number): void {
    const following = this.#following.get(sessionId);
    if (following === undefined) return;
    following.forgetWidth?.();
    following.forgetWidth = following.opened.session.attach({ columns });
  }

  /** Stops following a session for good: its questions are taken back from this client. */
  async leave(sessionId: string): Promise<void> {
    if (!this.#following.has(sessionId)) return;
    for (const { session, request } of this.#asked.values())
      if (session === sessionId) this.#withdraw(request, session);
    await this.pause(sessionId);
  }

  /** Stops following a session that this client is about to join again. */
  async pause(sessionId: string): Promise<void> {
    const following = this.#following.get(sessionId);
    if (following === undefined) return;
    this.#following.delete(sessionId);
    following.forgetWidth?.();
    this.#options.gateway.sessions.left(following.opened);
    await following.follower.stop();
  }

  /** Shows the questions that were open at a cursor: whoever attaches can answer them. */
  showQuestions({ id, state }: Session, upTo: number): void {
    for (const { request, seq } of state.questions) {
      if (seq > upTo) continue;
      const body = encodeOpenRequest(id, request, this.#options.gateway.ports.diff);
      void this.#question(body, { session: id });
    }
  }

  /** Sends an event of a session, in the form that this client understands. */
  async send(body: EventBody, at: EventPlace): Promise<void> {
    // A client that answered the request knows; one that never got it has nothing to take back.
    if (body.type === "request.cancel" && !this.#asked.delete(body.payload.id)) return;
    const open =
      this.#serverRequests && isQuestionEvent(body)
        ? this.#openRequest(at.session, body.payload.request_id)
        : undefined;
    await (open === undefined ? this.#plain(body, at) : this.#question(open, at));
  }

  write(frame: string): Promise<void> {
    return this.#flow.send(frame);
  }

  #plain(body: EventBody, at: EventPlace): Promise<void> {
    return this.#flow.send(eventFrame(body, at));
  }

  async #question(open: OpenRequest, at: EventPlace): Promise<void> {
    if (!this.#serverRequests) return await this.#plain(questionEvent(open), at);
    this.#asked.set(open.id, { session: at.session, request: open });
    const { id, method, params } = open;
    const placed = { ...params, ...defined({ seq: at.seq }) };
    await this.#flow.send(JSON.stringify({ jsonrpc: "2.0", id, method, params: placed }));
  }

  #openRequest(sessionId: string, requestId: string): OpenRequest | undefined {
    const { gateway } = this.#options;
    const session = gateway.sessions.get(sessionId)?.session;
    const question = session?.state.questions.find(({ request }) => request.requestId === requestId);
    return question && encodeOpenRequest(sessionId, question.request, gateway.ports.diff);
  }

  #responded(id: string, response: ClientResponse): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    if ("error" in response) return this.#cannotAnswer(asked, response.error.code);
    this.#asked.delete(id);
    const { gateway } = this.#options;
    acceptResponse(gateway, { ...asked, result: response.result, from: this.origin }).then(
      async (after) => {
        const method = `${asked.request.method}.respond`;
        await this.peer
          ?.note({ method, subject: asked.session, ...defined({ after }) })
          .catch((thrown: unknown) => gateway.report(thrown));
      },
      (thrown: unknown) => {
        const { message, code } = toHostError(thrown);
        // It is still open: this client can answer again.
        this.#asked.set(id, asked);
        this.notify({ type: "error", payload: { message, code } });
      },
    );
  }

  /** A client that has left a session is asked nothing about it any more. */
  #withdraw({ id, method }: OpenRequest, session: string): void {
    this.#asked.delete(id);
    const payload = { id, method, reason: "session_closed" } as const;
    if (!this.#closed) void this.#plain({ type: "request.cancel", payload }, { session });
  }

  /** A client that cannot show a kind of question as a request may show it as an event. */
  #cannotAnswer({ session, request }: { session: string; request: OpenRequest }, code: number): void {
    if (code !== METHOD_NOT_FOUND) return;
    this.#asked.delete(request.id);
    void this.#plain(questionEvent(request), { session });
  }
}
