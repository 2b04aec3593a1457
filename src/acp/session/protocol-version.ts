import type { Clock } from "../../shared/async/clock.ts";
import type { PromptBlock } from "./prompt-parts.ts";
import type { SessionOption } from "../projection/status-update.ts";
import type { Outbox } from "../connection/outbox.ts";
import type { AuthMethods } from "../connection/request-error.ts";
import type { AttachedSession } from "./attached-session.ts";
import type { ClientPeer } from "./client-peer.ts";
import type { PendingPrompt, PromptEnd } from "./pending-prompts.ts";
import type { SessionSetup } from "./client-sessions.ts";
import type { PromptRequest } from "../connection/prompt-requests.ts";

/** The types that differ between the versions of the protocol. */
export interface VersionTypes {
  /** The way to ask the client something. */
  readonly client: unknown;
  /** What a client says of a session that it opens. */
  readonly opening: object;
  /** What it is told of one that it opened. */
  readonly opened: object;
  readonly options: unknown;
  readonly block: unknown;
  /** The answer to a prompt. */
  readonly answer: object;
}

/** A prompt that was sent, for its answer. */
export interface SentPrompt {
  readonly open: PendingPrompt;
  readonly ticket: PromptRequest;
}

/** One version of the protocol, where it is unlike the others. */
export interface ProtocolVersion<W extends VersionTypes> {
  /** The ways to log in, as errors that a login may mend tell them. */
  authMethods(): AuthMethods;
  peer(client: W["client"], ports: { readonly outbox: Outbox; readonly clock: Clock }): ClientPeer;
  /** @throws HostError `invalid_params` for folders, servers and prompts that are not taken */
  setting(opening: W["opening"]): SessionSetup;
  /** It counts as told. */
  opened(attached: AttachedSession): W["opened"];
  options(options: readonly SessionOption[]): W["options"];
  /** @throws HostError `invalid_params` for a block of an unknown type */
  blocks(prompt: readonly W["block"][]): readonly PromptBlock[];
  answer(sent: SentPrompt): Promise<W["answer"]>;
  /** Looks at the end of a turn that no answer tells of; what it throws is told in the thread. */
  steered(end: PromptEnd): void;
}
