import type { Shown } from "../projection/shown.ts";
import type { Status } from "../projection/status.ts";
import type { Images } from "./blocks.ts";

export interface EncodeContext {
  readonly images: Images;
  /** What is encoded happened before and is told again. */
  readonly replay: boolean;
  /** The client learns of the end of this turn by the answer to its own request. */
  readonly told: boolean;
}

/** Puts what one session shows into the updates of one version of the protocol. */
export interface Encoder {
  encode(shown: Shown | Status, context: EncodeContext): readonly object[];
  /** The command of a call runs in a terminal of the client's. */
  showClientTerminal(callId: string, terminalId: string): readonly object[];
}
