import type { PostgresServer } from "../../test/kit/postgres/index.ts";

/** How much is run. */
interface ClusterSize {
  /** Sessions that stream at once. */
  readonly sessions: number;
  /** Sessions of the host that is killed. */
  readonly killed: number;
  /** Seconds that a figure is measured for. */
  readonly seconds: number;
}

/** The server, and how much is run on it. */
export interface ClusterBench {
  readonly server: PostgresServer;
  readonly size: ClusterSize;
  /** The version that is updated to this one: a commit, as Git takes it. */
  readonly from?: string;
  /** Makes an empty database on the server; gives its address. */
  readonly database: () => Promise<string>;
}

/** One line of the table. */
export interface Line {
  readonly what: string;
  readonly measured: string;
  readonly goal?: string;
  readonly met?: boolean;
}

/** A row of the table: the lines that it measures. */
export type Row = (bench: ClusterBench) => Promise<readonly Line[]>;

export const ms = (figure: number): string => `${figure.toFixed(figure < 10 ? 2 : 0)} ms`;

/** Milliseconds that something took at most, of a share of all, beside its goal. */
export function atMost(what: string, figure: number, goal: number): Line {
  return { what, measured: ms(figure), goal: `≤ ${goal} ms`, met: figure <= goal };
}

/** Something of which there must be none. */
export const none = (what: string, count: number): Line => ({
  what,
  measured: String(count),
  goal: "0",
  met: count === 0,
});

/** Resolves when all are over, or after so many milliseconds. */
export async function orAfter(longest: number, all: readonly Promise<unknown>[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, longest);
  await Promise.race([promise, Promise.allSettled(all)]);
  clearTimeout(timer);
}
