import type { ConversationUpdate } from "./conversation-update.ts";
import type { StatusUpdate } from "./status-update.ts";
import type { Images } from "./content-blocks.ts";

export interface EncodeContext {
  readonly images: Images;
  /** What is encoded happened before and is told again. */
  readonly replay: boolean;
  /** The client learns of the end of this turn by the answer to its own request. */
  readonly told: boolean;
}

/** Puts what one session shows into the updates of one version of the protocol. */
export interface UpdateEncoder {
  encode(shown: ConversationUpdate | StatusUpdate, context: EncodeContext): readonly object[];
  /** The command of a call runs in a terminal of the client's. */
  showClientTerminal(callId: string, terminalId: string): readonly object[];
}
