import type { ErrorRecord } from "../../../shared/errors/host-error.ts";
import type { ReadDocument } from "../documents.ts";

/** Bounds of what is read of one document. */
export interface ReadingLimits {
  /** Of the file. */
  readonly bytes: number;
  /** Of all that is packed in it. */
  readonly unpackedBytes: number;
  readonly pages: number;
  /** Of the thread that reads it. */
  readonly megabytes: number;
  readonly timeMs: number;
}

export const READING_LIMITS: ReadingLimits = {
  bytes: 50 * 2 ** 20,
  unpackedBytes: 200 * 2 ** 20,
  pages: 2000,
  megabytes: 512,
  timeMs: 60_000,
};

/** A document for the thread. */
export interface ReadingRequest {
  /** The name of its file, or its address. */
  readonly name: string;
  /** As a server said it; empty when nobody did. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly limits: ReadingLimits;
}

/** The thread's one message. */
export type ReadingAnswer = { readonly read: ReadDocument } | { readonly error: ErrorRecord };
