import { setImmediate as atEndOfTick } from "node:timers";
import type { Piece, Store } from "../ports/store.ts";
import type { InFlightAppend } from "./in-flight-append.ts";
import type { SessionLog } from "./session-log.ts";
import { StreamedText } from "./streamed-text.ts";

/** The ports of a `TextSaver`, to the writer whose text it saves. */
export interface TextSaverPorts {
  readonly log: SessionLog;
  readonly store: Pick<Store, "savePieces">;
  /** Something is on its way to the log: text goes after it, or with it. */
  readonly isBusy: () => boolean;
  /** Sends text that was not saved here. */
  readonly launch: () => void;
}

/** The way of streamed text to its readers: saved beside what is committed, at once, where the store can. */
export class TextSaver {
  readonly text = new StreamedText();
  readonly #ports: TextSaverPorts;
  /** Text was saved in this turn of the event loop. */
  #gathers = false;

  constructor(ports: TextSaverPorts) {
    this.#ports = ports;
  }

  /**
   * Adds text. The first of a turn of the event loop is saved at once; all that follows in it, as the parts of one network
   * packet do, goes together.
   */
  add(piece: Piece): void {
    this.text.add(piece);
    if (this.#gathers) return;
    this.#gathers = true;
    this.save();
    atEndOfTick(() => {
      this.#gathers = false;
      if (this.text.hasUnsaved) this.#ports.launch();
    });
  }

  /** Saves and shows what is not saved yet, where the store can; else it goes with an append. */
  save(): void {
    if (!this.text.hasUnsaved || this.#ports.isBusy()) return;
    if (this.#show(this.text.unsaved)) this.text.saved();
  }

  /**
   * Shows the text of the first append in flight: all before it is committed, and where it goes its row finds the way.
   *
   * @param epoch - of the writer: text of an older one has gone back to where it waits
   */
  showAhead(first: InFlightAppend | undefined, epoch: number): void {
    if (first === undefined || first.textIsShown || first.epoch !== epoch) return;
    if (first.text.unshown.length > 0) first.textIsShown = this.#show(first.text.unshown);
  }

  /** Saves text and shows it; false where the store cannot. */
  #show(pieces: readonly Piece[]): boolean {
    const { log, store } = this.#ports;
    const { id, fence, state } = log;
    if (fence === undefined) return false;
    if (!store.savePieces({ session: id, fence, n: state.n, pieces })) return false;
    log.commit([], pieces, state);
    return true;
  }
}
