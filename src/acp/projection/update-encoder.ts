import { type ByType, callByType, type MemberOf } from "../../shared/union/by-type.ts";
import type { DiffContent, ToolContent, ToolKind } from "../../core/index.ts";
import { type Block, type Images, resultBlocks } from "./content-blocks.ts";
import type { ConversationUpdate, ProjectedCall } from "./conversation-update.ts";
import type { StatusUpdate } from "./status-update.ts";
import { TerminalStream } from "./terminal-stream.ts";

/** An update for a client, before a version of the protocol encodes it. */
export type ClientUpdate = ConversationUpdate | StatusUpdate;

/** The update of one type. */
export type UpdateOf<Name extends ClientUpdate["type"]> = MemberOf<ClientUpdate, Name>;

/** The circumstances of an update that is encoded. */
export interface EncodeContext {
  readonly images: Images;
  /** The update happened before and is replayed. */
  readonly replay: boolean;
  /** The client learns of this turn's end by the answer to its own request. */
  readonly isAnswered: boolean;
}

/** A record with the encoder of each update, for one version of the protocol. */
export type UpdateEncoders<Encoded> = ByType<ClientUpdate, EncodeContext, readonly Encoded[]>;

/** A running call, and the way it is displayed: in a terminal of the client's, in a terminal stream, or as content. */
export interface ShownCall {
  readonly shows: "diff" | "content";
  readonly stream: TerminalStream | undefined;
  clientTerminal?: string;
}

/** Encoder of one session's updates. */
export abstract class UpdateEncoder<Encoded extends object = object> {
  protected abstract readonly encoders: UpdateEncoders<Encoded>;
  protected readonly running = new Map<string, ShownCall>();

  encode(update: ClientUpdate, context: EncodeContext): readonly Encoded[] {
    return callByType(this.encoders, update, context);
  }

  /** Shows that the command of a call runs in a terminal of the client; versions without such terminals show nothing. */
  showClientTerminal(_callId: string, _terminalId: string): readonly Encoded[] {
    return [];
  }
}

/** Makes the record of a call that begins. @param isStreamed - its output is shown in pieces, as it comes */
export const shownCall = ({ content }: ProjectedCall, isStreamed: boolean): ShownCall => ({
  shows: content.some(({ type }) => type === "diff") ? "diff" : "content",
  stream: isStreamed ? new TerminalStream() : undefined,
});

/** Writes the content of a call: its changes of files in a version's own form, then its blocks. */
export function callContent<Diff>(
  content: readonly ToolContent[],
  shown: { readonly kind: ToolKind; readonly images: Images },
  encodeDiff: (part: DiffContent) => Diff,
): (Diff | { type: "content"; content: Block })[] {
  const diffs = content.flatMap((part) => (part.type === "diff" ? [encodeDiff(part)] : []));
  return [
    ...diffs,
    ...resultBlocks(content, shown).map((block) => ({ type: "content" as const, content: block })),
  ];
}

/** The encoder of an update that a version does not show. */
export const notShown = (): readonly [] => [];
