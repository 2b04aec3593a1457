import type { ApprovalRequest, ClientFiles, ClientTerminals, Host, Origin } from "../../core/index.ts";
import type { MessageWriter } from "../connection/message-writer.ts";
import type { AcpPorts } from "../ports.ts";
import type { ProjectedCall } from "../projection/conversation-update.ts";
import type { UpdateEncoder } from "../projection/update-encoder.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";

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
  readonly client: ClientRequester;
  /** The version of the protocol that the client speaks. */
  readonly messages: ClientMessages;
  readonly environment: ClientEnvironment | undefined;
  readonly capabilities: ClientCapabilities;
  readonly writer: MessageWriter;
  /** This client among all that write to sessions. */
  readonly from: Origin;
  readonly process: AcpPorts;
}
