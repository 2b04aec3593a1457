import type { Piece } from "../../../core/index.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import type { HostEntry } from "../operations.ts";
import type { Connections } from "./connections.ts";
import type { RecordRequests } from "./record-requests.ts";

/** A lease of this host. */
export interface HeldLease {
  readonly key: number;
  readonly fence: number;
  /** No cursor up to here is ever given out again. */
  reserved: number;
  /** The text of the reply that streams, as far as it is saved: a database that crashed may have lost the end of it. */
  readonly pieces: Piece[];
}

/** The parts that the operations of one host on a database share. */
export interface PostgresContext {
  readonly sql: Connections;
  /** The connection of the heartbeat: however much waits for the others, no beat waits behind it. */
  readonly beats: Connections;
  readonly host: HostEntry;
  readonly clock: Clock;
  readonly lease: LeaseTimes;
  /** How long a request waits for a database that is away, in milliseconds. */
  readonly patienceMs: number;
  /** Sessions that this host drives. */
  readonly held: Map<string, HeldLease>;
  /** The requests of this host that change records. */
  readonly requests: RecordRequests;
  /** Shows this host to the others, which it does before it holds anything. */
  readonly register: () => Promise<void>;
  /** Tells the other hosts what moved, soon. */
  readonly announce: (what: Announcement) => void;
  /** This host may have commands to carry out. */
  readonly lookForCommands: () => void;
}

/** The times for which a host's word lasts, in milliseconds. */
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
