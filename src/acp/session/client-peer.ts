import type {
  ApprovalRequest,
  ClarifyRequest,
  ClientFiles,
  ClientTerminals,
  Host,
  Origin,
} from "../../core/index.ts";
import type { MessageWriter } from "../connection/message-writer.ts";
import type { AcpPorts } from "../ports.ts";
import type { ProjectedCall } from "../projection/conversation-update.ts";
import type { UpdateEncoder } from "../projection/update-encoder.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";
import { formAnswer, formRequest } from "./form.ts";
import { type PermissionAnswer, permissionAnswer } from "./permission-options.ts";

/** The options of a request to the client: it ends when the signal aborts, also when the client never answers. */
export const until = (signal: AbortSignal) =>
  ({ cancellationSignal: signal, stopWaitingOnCancel: true }) as const;

/** The SDK's handle for requests to the client. */
export interface ClientRequester {
  request(method: string, params: object, options: ReturnType<typeof until>): Promise<unknown>;
}

/** A question whether a call may run. */
export interface PermissionQuestion {
  readonly sessionId: string;
  readonly request: ApprovalRequest;
  /** The call that the question is about, as the client saw it. */
  readonly call: ProjectedCall | undefined;
  /** Absolute. */
  readonly cwd: string;
}

/** The messages to a client that each version of the protocol writes in its own way. */
export interface ClientMessages {
  /** The client is shown its own prompts too, and answered when they begin; else it is answered when they are over. */
  readonly echoesPrompts: boolean;
  encoder(capabilities: ClientCapabilities): UpdateEncoder;
  permissionRequest(question: PermissionQuestion, capabilities: ClientCapabilities): object;
}

/** A client's own files and terminals. */
export interface ClientEnvironment {
  /** `undefined` when it offers none. */
  files(sessionId: string): ClientFiles | undefined;
  /** `undefined` when it offers none. @param started - told of each terminal that a call runs in */
  terminals(
    sessionId: string,
    started: (callId: string, terminalId: string) => void,
  ): ClientTerminals | undefined;
}

/** The context of one client: everything that its sessions share. */
export interface ClientContext {
  readonly host: Host;
  readonly peer: ClientPeer;
  readonly writer: MessageWriter;
  /** This client among all that write to sessions. */
  readonly from: Origin;
  readonly process: AcpPorts;
}

/** The parts of a client peer. */
export interface PeerParts {
  readonly messages: ClientMessages;
  readonly client: ClientRequester;
  readonly environment: ClientEnvironment | undefined;
  readonly capabilities: ClientCapabilities;
  readonly writer: MessageWriter;
}

/**
 * The client at the other end of a connection. Requests end when their signal aborts, whether or not the client answers;
 * they reject when the client refuses them.
 */
export class ClientPeer {
  readonly #parts: PeerParts;

  constructor(parts: PeerParts) {
    this.#parts = parts;
  }

  get capabilities(): ClientCapabilities {
    return this.#parts.capabilities;
  }

  get echoesPrompts(): boolean {
    return this.#parts.messages.echoesPrompts;
  }

  encoder(): UpdateEncoder {
    return this.#parts.messages.encoder(this.capabilities);
  }

  /** Sends an update of a session; never waits. */
  update(sessionId: string, update: object): void {
    this.#parts.writer.post({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } });
  }

  async askPermission(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const { client, messages } = this.#parts;
    const params = messages.permissionRequest(question, this.capabilities);
    const answer = await client.request("session/request_permission", params, until(signal));
    return permissionAnswer(answer, question.request);
  }

  async askForm(
    sessionId: string,
    request: ClarifyRequest,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const form = formRequest(sessionId, request);
    return formAnswer(await this.#parts.client.request("elicitation/create", form, until(signal)));
  }

  get environment(): ClientEnvironment | undefined {
    return this.#parts.environment;
  }
}
