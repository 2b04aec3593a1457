import type { Stream } from "@agentclientprotocol/sdk/unstable";
import type { Host, Origin } from "../../core/index.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import type { AnsweredRequests } from "../connection/answered-requests.ts";
import type { MessageWriter } from "../connection/message-writer.ts";
import type { PromptRequests } from "../connection/prompt-requests.ts";
import { type AuthMethods, toRequestError } from "../connection/request-error.ts";
import type { AcpPorts } from "../ports.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";
import { ClientSessions } from "./client-sessions.ts";
import { Login } from "./login.ts";
import type { ProtocolVersion, VersionTypes } from "./protocol-version.ts";

/** The parts of a connection that every version of the protocol uses. */
export interface ConnectionParts {
  /** The host opens while the client is greeted. */
  readonly host: Promise<Host>;
  readonly writer: MessageWriter;
  readonly answers: AnsweredRequests;
  readonly prompts: PromptRequests;
  readonly process: AcpPorts;
}

/** The agent's side of a connection, as one version of the protocol serves it. */
export interface ConnectedAgent {
  connect(stream: Stream): { readonly closed: Promise<void> };
  /** Releases what the client had open, when it is gone. */
  leave(): Promise<void>;
}

/** A request of a client, as the handlers of every version get it. */
export interface AcpRequest<Params, Client = unknown> {
  readonly params: Params;
  readonly requestId: unknown;
  readonly client: Client;
}

/** Milliseconds after which a client that was greeted has no request for a session under way. */
const QUIET_MS = 200;

type Handler<Request, Answer> = (request: Request, sessions: ClientSessions) => Promise<Answer> | Answer;

/** The agent's side of one connection. */
export class AcpConnection<T extends VersionTypes> {
  readonly parts: ConnectionParts;
  readonly version: ProtocolVersion<T>;
  readonly login = new Login();
  readonly #rehearse: (() => Promise<void>) | undefined;
  /** The capabilities that the client announced last. */
  capabilities: ClientCapabilities;
  #sessions: Promise<ClientSessions> | undefined;
  /** Made before the first request needs them; made anew when the client announces itself again before that. */
  #ahead: Promise<ClientSessions> | undefined;

  /** @param rehearse - goes through what the first request for a session does */
  constructor(parts: ConnectionParts, version: ProtocolVersion<T>, rehearse?: () => Promise<void>) {
    this.parts = parts;
    this.version = version;
    this.#rehearse = rehearse;
    this.capabilities = version.noCapabilities;
  }

  get authMethods(): AuthMethods {
    return this.version.authMethods(this.capabilities);
  }

  /** A handler that gets the client's sessions, and whose errors reach the client in readable form. */
  handler<Params, Answer>(run: Handler<AcpRequest<Params, T["client"]>, Answer>) {
    return async (request: AcpRequest<Params, T["client"]>): Promise<Answer> => {
      try {
        return await run(request, await this.sessions(request.client));
      } catch (thrown) {
        const { params } = request;
        // Without a host, the error that the client gets says why there is none.
        const host = await this.parts.host.catch(() => undefined);
        const report = (error: HostError): void => host?.services.report(error);
        throw toRequestError(thrown, { params, report, authMethods: this.authMethods });
      }
    };
  }

  sessions(client: T["client"]): Promise<ClientSessions> {
    this.#sessions ??= this.#ahead ?? this.#openSessions(client);
    return this.#sessions;
  }

  /** Makes ready what the first session waits for, as soon as a client has the answer to its `initialize`. */
  async prepare({ requestId, client }: Omit<AcpRequest<unknown, T["client"]>, "params">): Promise<void> {
    await this.parts.answers.after(requestId);
    if (this.#sessions !== undefined) return;
    const before = this.#ahead;
    this.#ahead = this.#openSessions(client);
    // The request for a session reports the failure of a host.
    await Promise.allSettled([
      before?.then((sessions) => sessions.leave()),
      this.#ahead.then((sessions) => this.#prepareSessions(sessions)),
    ]);
  }

  /** Who asks at once waits for nothing here: the rest is done bit by bit while nobody has asked for a session. */
  async #prepareSessions(sessions: ClientSessions): Promise<void> {
    await sessions.prepare();
    if (await this.#isQuiet(sessions)) sessions.rehearse();
    if (await this.#isQuiet(sessions)) await this.#rehearse?.();
  }

  async #isQuiet(sessions: ClientSessions): Promise<boolean> {
    const isLeft = await sessions.pause(QUIET_MS);
    return !isLeft && this.#sessions === undefined;
  }

  async leave(): Promise<void> {
    const sessions = await (this.#sessions ?? this.#ahead)?.catch(() => undefined);
    await sessions?.leave();
  }

  async #openSessions(client: T["client"]): Promise<ClientSessions> {
    const { writer, process } = this.parts;
    const { version, capabilities } = this;
    const host = await this.parts.host;
    const { clock } = host.services;
    const environment = version.environment?.(client, { capabilities, clock });
    const from: Origin = { surface: "acp", client: host.services.hex(4) };
    return new ClientSessions({
      host,
      client,
      messages: version,
      environment,
      capabilities,
      writer,
      from,
      process,
    });
  }
}
