import type { Readable, Writable } from "node:stream";
import type { AcpTransport } from "../../acp/index.ts";
import type { Heap } from "./heap.ts";
import type { Machine } from "../../providers/tools/index.ts";
import { wrapWords } from "../../shared/text/wrap-words.ts";

/** The process as commands see it: the only way to its streams, environment and signals. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  /** Overrides of the configuration for this process, each `key=value`. */
  readonly set?: readonly string[];
  readonly pid: number;
  readonly platform: string;
  /** It works for one person or program, who waits for its start and has it beside much else. */
  readonly worksForOne?: boolean;
  /** The editor on stdin and stdout, who is greeted while the rest is loaded. */
  readonly greeting?: Promise<AcpTransport>;
  /** The memory of its objects, where it is a process of its own. */
  readonly heap?: Heap;
  /** The facts about the process that tools need. */
  readonly machine: Machine;
  /** Calls `run` when the process gets the signal, until the returned function is called. */
  onSignal(signal: "SIGINT" | "SIGQUIT" | "SIGTERM" | "SIGHUP" | "SIGUSR2", run: () => void): () => void;
  /** The process that started this one; another one when that has died. */
  parentPid(): number;
  /**
   * Gives stdout to the caller alone: whatever else prints there goes to `stray`. The function that is given writes
   * text; it resolves when there is room for more and rejects when nobody reads any longer.
   */
  claimStdout(stray: (text: string) => void): (text: string) => Promise<void>;
  /** Calls `run` when the process ends, however that comes, until the returned function is called. */
  onExit(run: () => void): () => void;
  /** Gives up the terminal: the process goes on when its window is closed, and its shell goes on without it. */
  leaveTerminal(): void;
  /** Starts the program anew in this process, with the same arguments; absent where the system has no way to. */
  readonly startAnew?: () => never;
  /** Ends the process at once. */
  exit(code: number): never;
}

/** Exit codes that scripts may rely on. */
export const EXIT = {
  completed: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  interrupted: 130,
  /** As a shell says it of a program that SIGQUIT ends. */
  quit: 131,
  /** The reader of stdout went away first; the same as of a program that SIGPIPE ends. */
  unread: 141,
  terminated: 143,
} as const;

/** Writes lines for people, and waits until they are taken: on a terminal they are broken between words. */
export const writeLines = (stream: Io["stderr"], text: string): Promise<void> =>
  write(stream, linesFor(stream, text));

/** Lines for people as a stream gets them. */
export const linesFor = (stream: Pick<Io["stderr"], "isTTY" | "columns">, text: string): string =>
  stream.isTTY === true ? wrapWords(text, stream.columns ?? 80) : text;

/** Writes to a stream and waits until it is taken; a reader that left is not an error of ours. */
export function write(stream: Writable, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.write(text, () => resolve());
  return promise;
}
