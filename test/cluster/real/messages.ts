/** A reader of a session that a host is to have. */
export interface ReaderTask {
  readonly name: string;
  readonly session: string;
  readonly after: number;
}

/** What a host of the test is told when it starts. */
export interface HostTask {
  readonly name: string;
  readonly url: string;
  /** The file of its history. */
  readonly file: string;
  readonly speed: number;
  /** Sessions to which it sends prompts. */
  readonly sessions: readonly string[];
  readonly readers: readonly ReaderTask[];
  /** Clients that send one prompt after the other. */
  readonly clients: number;
}

/** What a host of the test is told later. */
export type ToHost =
  /** No further prompts. */
  | { readonly type: "rest" }
  /** Readers read up to these cursors; then all ends. */
  | { readonly type: "finish"; readonly heads: Readonly<Record<string, number>> };

/** What a host of the test says. */
export type FromHost =
  | { readonly type: "ready" | "closed" }
  /** Nobody waits for the end of a prompt any more. */
  | { readonly type: "resting" }
  /** Readers that were not shown all that there is. */
  | { readonly type: "finished"; readonly behind: readonly string[] };
