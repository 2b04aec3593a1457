import type { AddedDocument, Kb } from "../../providers/kb/index.ts";
import type { Schedule } from "../jobs/schedule.ts";

/** A place that documents of the knowledge base come from: it is read again when asked, and on its schedule. */
export interface Source {
  /** `s_` and 12 hexadecimal digits. */
  readonly id: string;
  readonly kind: "folder" | "file" | "address";
  /** An absolute path, or a whole address. */
  readonly location: string;
  readonly collection: string;
  /** The machine whose path it is, where several share the documents: it is read there and nowhere else. */
  readonly machine?: string;
  /** Absent: it is read when somebody asks for it. */
  readonly schedule?: Schedule;
  /** Unix milliseconds. */
  readonly nextReadAt?: number;
  readonly addedAt: number;
  readonly last?: SourceOutcome;
  /** Files of a folder that somebody has removed from the knowledge base; absolute. */
  readonly excluded?: readonly string[];
}

/** The outcome of reading a source once. */
export interface SourceOutcome {
  /** When it was over, in Unix milliseconds. */
  readonly at: number;
  /** Documents by what became of them. */
  readonly read: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly removed: number;
  /** Files of a folder that are no documents, in words: `3 links, 12 of other kinds`. */
  readonly leftOut?: string;
  /** Why it could not be read as a whole; its documents stay as they were. */
  readonly problem?: string;
}

/** A reading of a source that is asked for, or under way. */
export interface SourceReading {
  /** The source's id: a source is read once at a time. */
  readonly source: string;
  /** Unix milliseconds from which it is to be done. */
  readonly dueAt: number;
  /** Also what has not changed. */
  readonly again: boolean;
  readonly startedAt?: number;
  /** Documents that are done, and all of them once they were counted. */
  readonly done?: number;
  readonly total?: number;
}

/** A document that was looked at in a reading. */
export interface SeenDocument extends Omit<AddedDocument, "outcome"> {
  readonly name: string;
  readonly origin: string;
  readonly outcome: AddedDocument["outcome"] | "removed";
}

/** The documents, as sources change them. */
export type SourceLibrary = Pick<Kb, "add" | "refuse" | "remove" | "known" | "document"> & {
  readonly limits: Pick<Kb["limits"], "bytes">;
};
