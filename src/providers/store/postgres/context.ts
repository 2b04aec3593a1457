import type { Clock } from "../../../shared/async/clock.ts";
import type { HostEntry } from "../operations.ts";
import type { Connections } from "./connections.ts";

/** The parts that the operations of one host on a database share. */
export interface PostgresContext {
  readonly sql: Connections;
  /** This host; its id changes never. */
  readonly host: HostEntry;
  readonly clock: Clock;
  readonly lease: LeaseTimes;
  /** Tells the other hosts what moved, soon. */
  readonly announce: (what: Announcement) => void;
}

/** How long a host's word lasts, in milliseconds. */
export interface LeaseTimes {
  /** After its last beat, as the database counts: then others may take over. */
  readonly ms: number;
  /** After its last beat, as the host itself counts: then it stops. */
  readonly stopAfterMs: number;
}

/** News for the other hosts. */
export type Announcement =
  | { readonly moved: string }
  /** A command waits for the driver of this session. */
  | { readonly command: string }
  /** The command of this id is answered. */
  | { readonly settled: string };
