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
  /** Where others reach it; it says on which port it listens. */
  readonly advertise: string;
  /** The file of its history. */
  readonly file: string;
  readonly speed: number;
  /** Milliseconds by which its machine's clock is wrong. */
  readonly turned: number;
  /** Sessions to which it sends prompts. */
  readonly sessions: readonly string[];
  readonly readers: readonly ReaderTask[];
  /** Clients that send one prompt after the other. */
  readonly clients: number;
}

/** What a host of the test is told later. */
export type ToHost =
  /** Its machine's clock is wrong by so many milliseconds from now on. */
  | { readonly type: "turn"; readonly by: number }
  /** No further prompts. */
  | { readonly type: "rest" }
  /** Readers read up to these cursors; then all ends. */
  | { readonly type: "finish"; readonly heads: Readonly<Record<string, number>> };

/** What a host of the test says. */
export type FromHost =
  | { readonly type: "ready" | "closed" }
  /** Others reach it there. */
  | { readonly type: "listening"; readonly port: number }
  /** Nobody waits for the end of a prompt any more. */
  | { readonly type: "resting" }
  | {
      readonly type: "finished";
      /** Readers that were not shown all that there is. */
      readonly behind: readonly string[];
      /** How often something was read from the host that drove it, and not from the store. */
      readonly near: number;
    };
