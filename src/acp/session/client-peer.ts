import type { ApprovalRequest, ClarifyRequest, ClientFiles, ClientTerminals } from "../../core/index.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";
import type { UpdateEncoder } from "../projection/update-encoder.ts";
import type { ProjectedCall } from "../projection/conversation-update.ts";

export interface PermissionQuestion {
  readonly sessionId: string;
  readonly request: ApprovalRequest;
  /** The call that it is about, as the client was shown it. */
  readonly call: ProjectedCall | undefined;
  /** Absolute. */
  readonly cwd: string;
}

/**
 * What a person said to a permission request. `cancelled`: that the turn is to stop; `undefined`: nothing that could be
 * taken for a yes.
 */
export type PermissionAnswer = ApprovalRequest["choices"][number] | "cancelled" | undefined;

/** What a person wrote into a form; `undefined` when they did not want to answer. */
export type FormAnswer = string | undefined;

/**
 * The client at the other end of a connection, in one version of the protocol. Requests end when their signal aborts,
 * whether or not the client answers; they reject when the client refuses them.
 */
export interface ClientPeer {
  readonly abilities: ClientCapabilities;
  /** The client is shown its own prompts too, and answered when they begin; others when they are over. */
  readonly echoes: boolean;
  /** The client displays output in pieces, as it comes. */
  readonly feeds: boolean;
  encoder(): UpdateEncoder;
  /** Sends an update of a session; never waits. */
  update(sessionId: string, update: object): void;
  askPermission(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  askForm(sessionId: string, request: ClarifyRequest, signal: AbortSignal): Promise<FormAnswer>;
  /** The files of the client's editor, when it offers them. */
  files(sessionId: string): ClientFiles | undefined;
  /** @param shown - told of each terminal that a call runs in */
  terminals(
    sessionId: string,
    shown: (callId: string, terminalId: string) => void,
  ): ClientTerminals | undefined;
}
