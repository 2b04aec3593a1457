import type { Stream } from "@agentclientprotocol/sdk/unstable";
import type { Host } from "../../core/index.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import type { AcpPorts } from "../ports.ts";
import type { AnsweredRequests } from "../connection/answered-requests.ts";
import type { Outbox } from "../connection/outbox.ts";
import { toRequestError } from "../connection/request-error.ts";
import type { ProtocolVersion, VersionTypes } from "./protocol-version.ts";
import { Login } from "./login.ts";
import type { PromptRequests } from "../connection/prompt-requests.ts";
import { ClientSessions } from "./client-sessions.ts";

/** What a connection consists of beside its version of the protocol. */
export interface ConnectionParts {
  /** The host opens while the client introduces itself. */
  readonly host: Promise<Host>;
  readonly outbox: Outbox;
  readonly answers: AnsweredRequests;
  readonly tickets: PromptRequests;
  readonly process: AcpPorts;
}

/** The agent's side of a connection in one version of the protocol. */
export interface VersionedAgent {
  connect(stream: Stream): { readonly closed: Promise<void> };
  /** The client is gone. */
  leave(): Promise<void>;
}

/** A request as both versions' handlers get it. */
export interface AcpRequest<Params, Client = unknown> {
  readonly params: Params;
  readonly requestId: unknown;
  readonly client: Client;
}

type Handler<Context, Answer> = (context: Context, desk: ClientSessions) => Promise<Answer> | Answer;

/** The agent's side of one connection, whichever version of the protocol it speaks. */
export class AcpConnection<W extends VersionTypes> {
  readonly parts: ConnectionParts;
  readonly dialect: ProtocolVersion<W>;
  readonly login = new Login();
  #desk: Promise<ClientSessions> | undefined;

  constructor(parts: ConnectionParts, dialect: ProtocolVersion<W>) {
    this.parts = parts;
    this.dialect = dialect;
  }

  /** A handler with the client's sessions at hand; whatever it throws goes out as a readable error. */
  handler<Params, Answer>(run: Handler<AcpRequest<Params, W["client"]>, Answer>) {
    return async (context: AcpRequest<Params, W["client"]>): Promise<Answer> => {
      try {
        return await run(context, await this.desk(context.client));
      } catch (thrown) {
        const { params } = context;
        const authMethods = this.dialect.authMethods();
        throw toRequestError(thrown, { params, report: await this.#report(), authMethods });
      }
    };
  }

  /** The client's sessions. */
  desk(client: W["client"]): Promise<ClientSessions> {
    this.#desk ??= this.#openDesk(client);
    return this.#desk;
  }

  /** The client is gone. */
  async leave(): Promise<void> {
    const desk = await this.#desk?.catch(() => undefined);
    await desk?.leave();
  }

  async #openDesk(client: W["client"]): Promise<ClientSessions> {
    const { outbox, process } = this.parts;
    const host = await this.parts.host;
    const { clock } = host.services;
    const peer = this.dialect.peer(client, { outbox, clock });
    return new ClientSessions({ host, peer, outbox, process });
  }

  async #report(): Promise<(error: HostError) => void> {
    try {
      return (await this.parts.host).services.report;
    } catch {
      // There is no host; why not is what the client is told.
      return () => undefined;
    }
  }
}
