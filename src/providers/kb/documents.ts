/** The state of a document: it is being read, it can be searched, or it could not be read. */
export type DocumentState = "reading" | "ready" | "failed";

/** A document of the knowledge base. */
export interface KbDocument {
  /** `d_` and 12 hexadecimal digits. */
  readonly id: string;
  readonly collection: string;
  /** The name of its file, or its address. */
  readonly name: string;
  /** Where it came from: an absolute path, an address, or `upload:<name>`. One collection has an origin once. */
  readonly origin: string;
  /** What it calls itself; its name when it says nothing. */
  readonly title: string;
  readonly state: DocumentState;
  readonly bytes: number;
  readonly characters: number;
  readonly pieces: number;
  /** How much of it was read, when that is not plainly all: `PDF, 12 pages`. */
  readonly note?: string;
  /** Why it could not be read. With `ready`, why it could not be read again: the text is the earlier one. */
  readonly problem?: string;
  /** Unix milliseconds. */
  readonly addedAt: number;
  readonly readAt?: number;
  /** When it was last tried, whatever came of it. */
  readonly triedAt?: number;
  /** The source that reads it again; absent for one that was added by itself. */
  readonly source?: string;
}

/** A part of a document under one heading, as an outline has it. */
export interface OutlineEntry {
  readonly heading: string;
  /** The first of its pieces, from 1. */
  readonly piece: number;
  readonly pieces: number;
}

/** A document with the headings that were found in it. */
export interface KbOutline {
  readonly document: KbDocument;
  readonly headings: readonly OutlineEntry[];
}

/** A document of a source, as it was read last. */
export interface KnownDocument {
  readonly id: string;
  readonly origin: string;
  readonly state: DocumentState;
  readonly stamp?: string;
}

/** The place of a document, and the source that it comes from. */
export interface DocumentPlace {
  readonly collection: string;
  /** The name of its file, or its address. */
  readonly name: string;
  /** An absolute path, an address, or `upload:<name>`. */
  readonly origin: string;
  readonly source?: string;
  /** Tells whether it has changed, as its source does: of a file or an address. */
  readonly stamp?: string;
}

/** A named set of documents. */
export interface KbCollection {
  readonly name: string;
  readonly documents: number;
  readonly pieces: number;
  readonly failed: number;
}

/** A part of a document under one heading. */
export interface DocumentPiece {
  /** The headings above it from the highest, joined by ` › `; empty before the first one. */
  readonly heading: string;
  readonly text: string;
}

/** A document's text, cut. */
export interface ReadDocument {
  readonly title: string;
  readonly note?: string;
  readonly characters: number;
  readonly pieces: readonly DocumentPiece[];
}

/** A search. */
export interface KbQuery {
  readonly words: string;
  readonly limit: number;
  /** Only in these; in all without it. */
  readonly collections?: readonly string[];
}

/** A place that answers a search. */
export interface KbHit extends DocumentPiece {
  readonly document: string;
  readonly title: string;
  readonly collection: string;
  /** The piece's place in its document, from 1. */
  readonly piece: number;
  /** Higher is better; only comparable within one search. */
  readonly score: number;
}

/** Some pieces of a document, one after the other. */
export interface KbPassage {
  readonly document: KbDocument;
  readonly pieces: readonly (DocumentPiece & { readonly piece: number })[];
}

/** A wish to read on in a document. */
export interface PassageWish {
  readonly id: string;
  /** The first piece, from 1. */
  readonly from: number;
  readonly characters: number;
  readonly collections?: readonly string[];
}

/** A document as it arrives. */
export interface NewDocument extends DocumentPlace {
  /** Read it even if its bytes are those that were read before. */
  readonly again?: boolean;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
}

/** A reading that was begun. */
export interface BegunReading {
  readonly id: string;
  readonly reading: number;
  /** The same bytes were read before: there is nothing to do. */
  readonly unchanged: boolean;
}

/** The outcome of a reading, to be put in the place of what was there. */
export interface FinishedReading extends Pick<NewDocument, "hash" | "bytes" | "stamp"> {
  readonly read: ReadDocument;
}

/** The outcome of a reading that failed. */
export interface FailedReading {
  readonly problem: string;
  readonly stamp?: string | undefined;
}

/** Milliseconds after which a reading is over, whoever began it: its process has died. */
export const BROKEN_OFF_MS = 10 * 60_000;
/** What is said of such a document then. */
export const BROKEN_OFF = "The reading was broken off: the process that read it has died. Read it again.";

/** Headings of one document that are listed. */
export const LONGEST_OUTLINE = 2000;

/** Names a place for people and models: the document, and the headings above the place. Many documents begin with their title. */
export function citedPlace({ title, heading }: Pick<KbHit, "title" | "heading">): string {
  if (heading === "") return title;
  return heading === title || heading.startsWith(`${title} › `) ? heading : `${title} › ${heading}`;
}
