import type { AgentContext, AgentRequestContext, InitializeRequest } from "@agentclientprotocol/sdk/unstable";
import type { Host, HostError } from "../../core/index.ts";
import type { ClientAbilities } from "../abilities.ts";
import type { AcpPorts } from "../ports.ts";
import { Login } from "../session/login.ts";
import type { PromptTickets } from "../session/prompt-tickets.ts";
import { SessionDesk } from "../session/session-desk.ts";
import type { Answers } from "../wire/answers.ts";
import type { Outbox } from "../wire/outbox.ts";
import { abilitiesOf } from "./abilities.ts";
import { V1Peer } from "./peer.ts";
import { toRequestError } from "./request-error.ts";

/** What a connection consists of beside its version of the protocol. */
export interface ConnectionParts {
  /** The host opens while the client introduces itself. */
  readonly host: Promise<Host>;
  readonly outbox: Outbox;
  readonly answers: Answers;
  readonly tickets: PromptTickets;
  readonly process: AcpPorts;
}

type Handler<Params, Answer> = (
  context: AgentRequestContext<Params>,
  desk: SessionDesk,
) => Promise<Answer> | Answer;

/** The agent's side of one connection in protocol version 1. */
export class V1Connection {
  readonly parts: ConnectionParts;
  readonly login = new Login();
  #abilities: ClientAbilities = abilitiesOf({});
  #desk: Promise<SessionDesk> | undefined;

  constructor(parts: ConnectionParts) {
    this.parts = parts;
  }

  /** The client says who it is; what it can do counts for the sessions that it opens from now on. */
  introduce(params: InitializeRequest): ClientAbilities {
    this.#abilities = abilitiesOf(params);
    return this.#abilities;
  }

  /** A handler with the client's sessions at hand; whatever it throws goes out as a readable error. */
  handler<Params, Answer>(run: Handler<Params, Answer>) {
    return async (context: AgentRequestContext<Params>): Promise<Answer> => {
      try {
        return await run(context, await this.desk(context.client));
      } catch (thrown) {
        const { params } = context;
        throw toRequestError(thrown, {
          params,
          report: await this.#report(),
          authMethods: this.login.methods,
        });
      }
    };
  }

  /** The client's sessions. */
  desk(client: AgentContext): Promise<SessionDesk> {
    this.#desk ??= this.#openDesk(client);
    return this.#desk;
  }

  /** The client is gone. */
  async leave(): Promise<void> {
    const desk = await this.#desk?.catch(() => undefined);
    await desk?.leave();
  }

  async #openDesk(client: AgentContext): Promise<SessionDesk> {
    const { outbox, process } = this.parts;
    const host = await this.parts.host;
    const { clock } = host.services;
    const peer = new V1Peer(this.#abilities, { client, outbox, clock });
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
