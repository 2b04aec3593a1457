import type { RecordedRequest } from "./recorded.ts";
import type { Reply } from "./reply.ts";

/** What a frame of a streamed answer is there for: faults find their place by it. */
type Place = "head" | "text" | "reasoning" | "call" | "finish" | "usage" | "done" | "event";

export interface Frame {
  readonly place: Place;
  readonly text: string;
}

export interface ErrorWords {
  readonly message: string;
  readonly type?: string;
  readonly code?: string | number;
}

/** How a server speaks one dialect. A new dialect is one more of these. */
export interface ServerDialect {
  readonly name: string;
  /** Path of its requests below the server's root; any other start in place of `/v1` will do. */
  readonly path: string;
  isStreamed(request: RecordedRequest): boolean;
  /** Frames of a streamed reply; a gate stands between them as itself. */
  frames(
    reply: Reply,
    request: RecordedRequest,
  ): readonly (Frame | Extract<Reply["steps"][number], { type: "gate" }>)[];
  /** The reply in one piece, to be sent as JSON. */
  whole(reply: Reply, request: RecordedRequest): unknown;
  /** An error in the middle of a stream. */
  errorFrame(error: ErrorWords): string;
  errorBody(error: ErrorWords): unknown;
}
