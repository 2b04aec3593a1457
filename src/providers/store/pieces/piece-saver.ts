import type { AppendRequest, AppendResult, PieceSave } from "../../../core/index.ts";
import type { PieceSink } from "./saved-pieces.ts";

/** A lease of this host, as far as saving text under it is concerned. */
interface SavingLease {
  readonly fence: number;
  /** Cursors up to here are reserved on the disk. */
  reserved: number;
  /**
   * Text of the present reply is in the database. What follows must go there too: a reader that looks into the database
   * first and beside it then would else see the end of a text without its middle.
   */
  isInDatabase: boolean;
  /** The cursor of the last row that holds the text before it. */
  held: number;
}

type AppendAnswer =
  | { readonly status: "ok"; readonly fence: number | undefined }
  | { readonly status: Exclude<AppendResult["status"], "ok"> };

/** The saver of streamed text without the database. It knows from the appends of this host what may be saved so. */
export class PieceSaver {
  readonly #sink: PieceSink;
  readonly #leases = new Map<string, SavingLease>();

  constructor(sink: PieceSink) {
    this.#sink = sink;
  }

  /** @returns whether the pieces are saved; if not, they must be appended */
  save({ session, fence, n, pieces }: PieceSave): boolean {
    const lease = this.#leases.get(session);
    const [first] = pieces;
    const last = pieces.at(-1);
    if (lease?.fence !== fence || lease.isInDatabase || first === undefined || last === undefined)
      return false;
    // Of a reply that ended meanwhile: what came before it may be in the database, where a reader looked too early.
    if (first.cursor < lease.held) return false;
    if (last.cursor + last.text.length > lease.reserved) return false;
    if (
      this.#sink.save(
        fence,
        pieces.map((piece) => ({ ...piece, n })),
      )
    )
      return true;
    lease.isInDatabase = true;
    return false;
  }

  /** An append is on its way to the database. */
  sending({ session, pieces }: Pick<AppendRequest, "session" | "pieces">): void {
    const lease = this.#leases.get(session);
    if (lease !== undefined && pieces.length > 0) lease.isInDatabase = true;
  }

  /** An append was answered. */
  answered(request: AppendRequest, answer: AppendAnswer): void {
    const { session, pieces, rows, results } = request;
    if (answer.status === "moved") return;
    if (answer.status !== "ok" || answer.fence === undefined) return this.forget(session);
    const { fence } = answer;
    const lease = this.#leaseOf(session, fence);
    const isSynced = rows.length > 0 || results.length > 0 || request.fence === undefined;
    if (isSynced) lease.reserved = Math.max(lease.reserved, request.reserve);
    if (request.clearPieces) {
      this.#sink.drop(fence);
      lease.held = Math.max(lease.held, rows.at(-1)?.seq ?? 0);
    }
    if (request.clearPieces || pieces.length > 0) lease.isInDatabase = pieces.length > 0;
  }

  /** This host drives a session no longer. */
  forget(session: string): void {
    const lease = this.#leases.get(session);
    this.#leases.delete(session);
    if (lease === undefined) return;
    this.#sink.drop(lease.fence);
    this.#sink.clean();
  }

  close(): void {
    this.#sink.close();
  }

  #leaseOf(session: string, fence: number): SavingLease {
    const known = this.#leases.get(session);
    if (known?.fence === fence) return known;
    this.forget(session);
    const lease = { fence, reserved: 0, isInDatabase: false, held: 0 };
    this.#leases.set(session, lease);
    return lease;
  }
}
