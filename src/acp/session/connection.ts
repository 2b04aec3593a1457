import type { Stream } from "@agentclientprotocol/sdk/unstable";
import type { Clock, Host, HostError } from "../../core/index.ts";
import type { AcpPorts } from "../ports.ts";
import type { Answers } from "../wire/answers.ts";
import type { Outbox } from "../wire/outbox.ts";
import { toRequestError } from "../wire/request-error.ts";
import type { ClientPeer } from "./client-peer.ts";
import { Login } from "./login.ts";
import type { PromptTickets } from "./prompt-tickets.ts";
import { SessionDesk } from "./session-desk.ts";

/** What a connection consists of beside its version of the protocol. */
export interface ConnectionParts {
  /** The host opens while the client introduces itself. */
  readonly host: Promise<Host>;
  readonly outbox: Outbox;
  readonly answers: Answers;
  readonly tickets: PromptTickets;
  readonly process: AcpPorts;
}

/** The agent's side of a connection in one version of the protocol. */
export interface VersionedAgent {
  connect(stream: Stream): { readonly closed: Promise<void> };
  /** The client is gone. */
  leave(): Promise<void>;
}

/** What a version of the protocol brings to a connection; `Client` is its way to ask the client something. */
export interface Dialect<Client> {
  /** The ways to log in, as errors that a login may mend tell them. */
  readonly authMethods: readonly object[];
  peer(client: Client, ports: { readonly outbox: Outbox; readonly clock: Clock }): ClientPeer;
}

/** A request as both versions' handlers get it. */
export interface Asked<Params, Client> {
  readonly params: Params;
  readonly requestId: unknown;
  readonly client: Client;
}

interface Cancelled {
  readonly sessionId: string;
}

type Handler<Context, Answer> = (context: Context, desk: SessionDesk) => Promise<Answer> | Answer;

/** The agent's side of one connection, whichever version of the protocol it speaks. */
export class Connection<Client> {
  readonly parts: ConnectionParts;
  readonly login = new Login();
  readonly #dialect: Dialect<Client>;
  #desk: Promise<SessionDesk> | undefined;

  constructor(parts: ConnectionParts, dialect: Dialect<Client>) {
    this.parts = parts;
    this.#dialect = dialect;
  }

  /** A handler with the client's sessions at hand; whatever it throws goes out as a readable error. */
  handler<Context extends Asked<unknown, Client>, Answer>(run: Handler<Context, Answer>) {
    return async (context: Context): Promise<Answer> => {
      try {
        return await run(context, await this.desk(context.client));
      } catch (thrown) {
        const { params } = context;
        const { authMethods } = this.#dialect;
        throw toRequestError(thrown, { params, report: await this.#report(), authMethods });
      }
    };
  }

  /** Stops what runs in a session. It was no request: whatever is in the way, nobody can be told. */
  async cancel({ params, client }: Pick<Asked<Cancelled, Client>, "params" | "client">): Promise<void> {
    const desk = await this.desk(client).catch(() => undefined);
    await desk?.cancel(params.sessionId);
  }

  /** The client's sessions. */
  desk(client: Client): Promise<SessionDesk> {
    this.#desk ??= this.#openDesk(client);
    return this.#desk;
  }

  /** The client is gone. */
  async leave(): Promise<void> {
    const desk = await this.#desk?.catch(() => undefined);
    await desk?.leave();
  }

  async #openDesk(client: Client): Promise<SessionDesk> {
    const { outbox, process } = this.parts;
    const host = await this.parts.host;
    const { clock } = host.services;
    const peer = this.#dialect.peer(client, { outbox, clock });
    return new SessionDesk({ host, peer, outbox, process });
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
