import type { Written } from "./input/written.ts";
import type { LocalWork } from "./local-work.ts";
import type { Attached } from "./gateway.ts";
import type { Dialogs } from "./overlays/dialogs.ts";
import type { SessionController } from "./session-controller.ts";
import type { ViewStore } from "./view-store.ts";

/** The running client, as its parts see it. */
export interface Client {
  readonly store: ViewStore;
  readonly controller: SessionController;
  readonly dialogs: Dialogs;
  /** What needs the client's process. */
  readonly local: LocalWork;
  /** Unix milliseconds. */
  now(): number;
  /** Ends the client; sessions and turns go on. */
  readonly leave: () => void;
  /** Shows another session. */
  readonly show: (attached: Attached) => void;
  /** Puts a text into the composer; what stood there can be brought back with undo. */
  prefill(text: string): void;
  /** Copies the last answer, or one of its blocks of code, to the clipboard of the terminal. */
  copy(which: string): void;
  /** Opens the draft in the person's editor. */
  editOutside(): Promise<void>;
  /** Adds to what was sent before, for ever. */
  remember(sent: Written): void;
  /** Learns anew how the person wants the client to look and to behave. */
  learn(): Promise<void>;
  /** Draws everything again. */
  redraw(): void;
}
