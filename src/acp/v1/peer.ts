import { type AgentContext, methods } from "@agentclientprotocol/sdk/unstable";
import type { ClarifyRequest, ClientFiles, ClientTerminals } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import type { ClientPeer, FormAnswer, PermissionAnswer, PermissionQuestion } from "../session/client-peer.ts";
import type { Outbox } from "../connection/outbox.ts";
import { formAnswer, formRequest } from "../session/form.ts";
import { permissionAnswer } from "../session/permission-options.ts";
import { clientFiles } from "./client-files.ts";
import { clientTerminals } from "./client-terminals.ts";
import { V1Encoder } from "./encoder.ts";
import { permissionRequest } from "./permission.ts";

export interface PeerPorts {
  readonly client: AgentContext;
  readonly outbox: Outbox;
  readonly clock: Clock;
}

/** A client that speaks protocol version 1. */
export class V1Peer implements ClientPeer {
  readonly abilities: ClientCapabilities;
  readonly echoes = false;
  readonly #ports: PeerPorts;

  constructor(abilities: ClientCapabilities, ports: PeerPorts) {
    this.abilities = abilities;
    this.#ports = ports;
  }

  get feeds(): boolean {
    return this.abilities.terminalOutput;
  }

  encoder(): V1Encoder {
    return new V1Encoder(this.abilities);
  }

  update(sessionId: string, update: object): void {
    const { update: method } = methods.client.session;
    this.#ports.outbox.post({ jsonrpc: "2.0", method, params: { sessionId, update } });
  }

  async askPermission(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const answer: unknown = await this.#ports.client.request(
      methods.client.session.requestPermission,
      permissionRequest(question, this.abilities),
      until(signal),
    );
    return permissionAnswer(answer, question.request);
  }

  async askForm(sessionId: string, request: ClarifyRequest, signal: AbortSignal): Promise<FormAnswer> {
    const form = formRequest(sessionId, request);
    return formAnswer(
      await this.#ports.client.request(methods.client.elicitation.create, form, until(signal)),
    );
  }

  files(sessionId: string): ClientFiles | undefined {
    const { client, clock } = this.#ports;
    return clientFiles(sessionId, { client, clock, abilities: this.abilities });
  }

  /** A display that is fed shows more than a terminal of the client's: colours, progress, and on every machine the same. */
  terminals(
    sessionId: string,
    shown: (callId: string, terminalId: string) => void,
  ): ClientTerminals | undefined {
    const { terminal, terminalOutput } = this.abilities;
    if (!terminal || terminalOutput) return undefined;
    const { client, clock } = this.#ports;
    return clientTerminals(sessionId, { client, clock, shown });
  }
}

const until = (signal: AbortSignal) => ({ cancellationSignal: signal, stopWaitingOnCancel: true });
