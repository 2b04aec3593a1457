import type { Clock } from "../../shared/async/clock.ts";
import type { AuthMethods } from "../connection/request-error.ts";
import type { PromptRequest } from "../connection/prompt-requests.ts";
import type { SessionOption } from "../projection/status-update.ts";
import type { AttachedSession } from "./attached-session.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";
import type { ClientEnvironment, ClientMessages, ClientRequester } from "./client-peer.ts";
import type { PendingPrompt, PromptEnd } from "./pending-prompts.ts";
import type { PromptBlock } from "./prompt-parts.ts";
import type { SessionSetup } from "./session-setup.ts";

/** The types of a protocol version's messages. */
export interface VersionTypes {
  readonly client: ClientRequester;
  /** The params of a request that opens a session. */
  readonly opening: object;
  /** The answer to such a request. */
  readonly opened: object;
  readonly options: unknown;
  readonly block: unknown;
  /** The answer to a prompt. */
  readonly answer: object;
}

/** A prompt that was sent and needs an answer. */
export interface SentPrompt {
  readonly pending: PendingPrompt;
  readonly request: PromptRequest;
  readonly capabilities: ClientCapabilities;
}

/** The services that a version uses for a client's files and terminals. */
export interface EnvironmentPorts {
  readonly capabilities: ClientCapabilities;
  readonly clock: Clock;
}

/** A version of the protocol, as a set of functions that write and read its messages. */
export interface ProtocolVersion<T extends VersionTypes> extends ClientMessages {
  /** The capabilities of a client that has not announced any. */
  readonly noCapabilities: ClientCapabilities;
  authMethods(capabilities: ClientCapabilities): AuthMethods;
  /** The client's files and terminals; absent in a version without such methods. */
  environment?(client: T["client"], ports: EnvironmentPorts): ClientEnvironment;
  /** @throws HostError `invalid_params` for folders, servers and system prompts that are not taken */
  setup(opening: T["opening"]): SessionSetup;
  /** Writes the state of a session that was opened; it counts as told. */
  opened(attached: AttachedSession): T["opened"];
  options(options: readonly SessionOption[]): T["options"];
  /** @throws HostError `invalid_params` for a block of an unknown type */
  blocks(prompt: readonly T["block"][]): readonly PromptBlock[];
  answer(sent: SentPrompt): Promise<T["answer"]>;
  /** Reads the end of a turn that steering began. An error that this throws is shown in the session. */
  steered(end: PromptEnd): void;
}
