import { HostError, messageOf } from "../../shared/errors/host-error.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { Fetcher } from "../../providers/fetch/index.ts";
import type { SeenDocument, Source, SourceLibrary, SourceOutcome } from "./source.ts";

/** The parts that a source is read with. */
export interface VisitParts {
  readonly library: SourceLibrary;
  /** The guarded way to addresses. */
  readonly fetcher: Fetcher;
  readonly clock: Pick<Clock, "now">;
  readonly signal: AbortSignal;
}

/** One reading of one source, and what became of its documents so far. */
export interface SourceVisit extends VisitParts {
  readonly source: Source;
  /** Also what has not changed. */
  readonly again: boolean;
  /** Told of all documents that there are, once they were counted. */
  readonly counted: (total: number) => void;
  /** Told of each document when it is done. @throws HostError `not_found` when the source was removed meanwhile */
  readonly seen: (document: SeenDocument) => Promise<void>;
}

/** The end of a reading, beside the documents that were told of. */
export type VisitEnd = Pick<SourceOutcome, "leftOut" | "problem">;

/** Words of an error for the end of a sentence. @throws what is no error of one document or place */
export function problemOf(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted || (thrown instanceof HostError && thrown.code.startsWith("store_"))) throw thrown;
  return messageOf(thrown);
}
