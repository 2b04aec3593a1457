import type { HostError } from "../../shared/errors/host-error.ts";
import type { Row } from "../events/events.ts";
import type { Services } from "../ports/services.ts";
import type { Store } from "../ports/store.ts";

/** The parts of the host that a log is written with. */
export interface WriterPorts extends Pick<Services, "clock" | "redactor" | "observe" | "personas"> {
  readonly store: Pick<Store, "append" | "answer" | "savePieces">;
}

/** A listener to the appends of a writer, before it is known whether they hold. */
export interface WriterListener {
  /** Rows are on their way under a lease that is held. The log tells of them again when they are committed, or `failed` follows. */
  planned(rows: readonly Row[]): void;
  /** An append failed, and those that were planned on top of it. */
  failed(error: HostError): void;
  leaseLost(): void;
}

/** A lease that was taken over; `reserved`: where cursors go on when the owner died with the machine's power. */
export interface AdoptedLease {
  readonly fence: number;
  readonly reserved: number | undefined;
}
