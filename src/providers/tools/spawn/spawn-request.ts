import type { Sandbox } from "../sandbox/port.ts";
import type { OutputSink } from "./drain.ts";

/** A program that is to be started. */
export interface SpawnRequest {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute, or the reference of an open directory. */
  readonly cwd: string;
  /** Beside what every child gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** It gets `env` and nothing else. */
  readonly bareEnvironment?: boolean;
  /** What is started, for the ledger and for errors. */
  readonly label: string;
  readonly session: string;
  /** The child's standard input can be written; without it, it reads an empty file. */
  readonly writable?: boolean;
  readonly output: OutputSink;
  /** Without it, both outputs of the child go to `output`, in the order in which they were written. */
  readonly errors?: OutputSink;
  readonly signal: AbortSignal;
  /** The walls around it; without them it runs as the user, with all that the user may do. */
  readonly sandbox?: Sandbox | undefined;
}
