import { type AgentContext, methods } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import type { ClarifyRequest } from "../../core/index.ts";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import { formAnswer, formRequest } from "../session/form.ts";
import { permissionAnswer } from "../session/permission-options.ts";
import type { ClientPeer, FormAnswer, PermissionAnswer, PermissionQuestion } from "../session/client-peer.ts";
import type { Outbox } from "../connection/outbox.ts";
import { V2Encoder } from "./encoder.ts";
import { permissionRequest } from "./permission.ts";

/** A client that speaks the draft of protocol version 2: it shows what it is told, and has no files or terminals to lend. */
export class V2Peer implements ClientPeer {
  readonly abilities: ClientCapabilities;
  readonly echoes = true;
  readonly feeds = true;
  readonly #client: AgentContext;
  readonly #outbox: Outbox;

  constructor(
    abilities: ClientCapabilities,
    { client, outbox }: { readonly client: AgentContext; readonly outbox: Outbox },
  ) {
    this.abilities = abilities;
    this.#client = client;
    this.#outbox = outbox;
  }

  encoder(): V2Encoder {
    return new V2Encoder();
  }

  update(sessionId: string, update: object): void {
    const { update: method } = methods.client.session;
    this.#outbox.post({ jsonrpc: "2.0", method, params: { sessionId, update } });
  }

  async askPermission(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const answer: unknown = await this.#client.request(
      methods.client.session.requestPermission,
      permissionRequest(question, this.abilities),
      until(signal),
    );
    return permissionAnswer(answer, question.request);
  }

  async askForm(sessionId: string, request: ClarifyRequest, signal: AbortSignal): Promise<FormAnswer> {
    const form = formRequest(sessionId, request);
    return formAnswer(await this.#client.request(methods.client.elicitation.create, form, until(signal)));
  }

  files(): undefined {
    return undefined;
  }

  terminals(): undefined {
    return undefined;
  }
}

const until = (signal: AbortSignal) => ({ cancellationSignal: signal, stopWaitingOnCancel: true });
