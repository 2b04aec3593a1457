import type { Stream } from "@agentclientprotocol/sdk/unstable";
import type { Host } from "../../core/index.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import type { AcpPorts } from "../ports.ts";
import type { Answers } from "../connection/answers.ts";
import type { Outbox } from "../connection/outbox.ts";
import { toRequestError } from "../connection/request-error.ts";
import type { Dialect, Wording } from "./dialect.ts";
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

/** A request as both versions' handlers get it. */
export interface Asked<Params, Client = unknown> {
  readonly params: Params;
  readonly requestId: unknown;
  readonly client: Client;
}

type Handler<Context, Answer> = (context: Context, desk: SessionDesk) => Promise<Answer> | Answer;

/** The agent's side of one connection, whichever version of the protocol it speaks. */
export class Connection<W extends Wording> {
  readonly parts: ConnectionParts;
  readonly dialect: Dialect<W>;
  readonly login = new Login();
  #desk: Promise<SessionDesk> | undefined;

  constructor(parts: ConnectionParts, dialect: Dialect<W>) {
    this.parts = parts;
    this.dialect = dialect;
  }

  /** A handler with the client's sessions at hand; whatever it throws goes out as a readable error. */
  handler<Params, Answer>(run: Handler<Asked<Params, W["client"]>, Answer>) {
    return async (context: Asked<Params, W["client"]>): Promise<Answer> => {
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
  desk(client: W["client"]): Promise<SessionDesk> {
    this.#desk ??= this.#openDesk(client);
    return this.#desk;
  }

  /** The client is gone. */
  async leave(): Promise<void> {
    const desk = await this.#desk?.catch(() => undefined);
    await desk?.leave();
  }

  async #openDesk(client: W["client"]): Promise<SessionDesk> {
    const { outbox, process } = this.parts;
    const host = await this.parts.host;
    const { clock } = host.services;
    const peer = this.dialect.peer(client, { outbox, clock });
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
