import { type ByType, callByType, type MemberOf } from "../../shared/union/by-type.ts";
import type { Images } from "./content-blocks.ts";
import type { ConversationUpdate } from "./conversation-update.ts";
import type { StatusUpdate } from "./status-update.ts";

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

/** Encoder of one session's updates. */
export abstract class UpdateEncoder<Encoded extends object = object> {
  protected abstract readonly encoders: UpdateEncoders<Encoded>;

  encode(update: ClientUpdate, context: EncodeContext): readonly Encoded[] {
    return callByType(this.encoders, update, context);
  }

  /** Shows that the command of a call runs in a terminal of the client; versions without such terminals show nothing. */
  showClientTerminal(_callId: string, _terminalId: string): readonly Encoded[] {
    return [];
  }
}

/** The encoder of an update that a version does not show. */
export const notShown = (): readonly [] => [];
