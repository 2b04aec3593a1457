import type { LogTail, Snapshot } from "../../../core/index.ts";

/** Characters that are kept for readers; who is further behind reads the store. */
const KEPT = 512 * 1024;

type Row = LogTail["rows"][number];
type Piece = LogTail["pieces"][number];

/** The end of a session's log, as it has come from the host that drives it: whole after one cursor. */
export class NearLog {
  #from: number;
  #to: number;
  #n = 0;
  #rows: readonly Row[] = [];
  #pieces: readonly Piece[] = [];

  constructor(from: number) {
    this.#from = from;
    this.#to = from;
  }

  /** Adds what comes next; what does not follow what is there takes its place. */
  add({ from, to, n, rows, endsReply, pieces }: LogTail): void {
    const follows = from === this.#to;
    if (!follows) this.#from = from;
    this.#to = to;
    this.#n = n;
    this.#rows = follows ? [...this.#rows, ...rows] : rows;
    this.#pieces = follows && !endsReply ? [...this.#pieces, ...pieces] : pieces;
    this.#trim();
  }

  /** What follows a cursor; `undefined` when nothing is known. */
  read(after: number): Snapshot | undefined {
    if (after < this.#from || after >= this.#to) return undefined;
    const rows = this.#rows.filter(({ seq }) => seq > after);
    const pieces = this.#pieces.filter(({ cursor, text }) => cursor + text.length > after);
    return { rows, pieces, head: { n: this.#n, seq: this.#rows.at(-1)?.seq ?? this.#from }, more: false };
  }

  #trim(): void {
    let size = this.#rows.reduce((sum, { body }) => sum + body.length, 0);
    let dropped = 0;
    for (const { body, seq } of this.#rows) {
      if (size <= KEPT) break;
      size -= body.length;
      this.#from = seq;
      dropped += 1;
    }
    if (dropped > 0) this.#rows = this.#rows.slice(dropped);
  }
}
