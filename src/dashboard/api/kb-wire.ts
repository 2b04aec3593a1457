import { z } from "zod";

/** Unix seconds. */
const time = z.number().describe("Unix seconds");

/** A collection of documents, as pages get it. */
export const KbCollectionRow = z
  .object({ name: z.string(), documents: z.number(), pieces: z.number(), failed: z.number() })
  .meta({ title: "KbCollection" });

/** The collections, and the personas that one can search as. */
export const KbOverview = z
  .object({
    collections: z.array(KbCollectionRow),
    personas: z.array(z.string()),
    /** Bytes of the largest document that is read. */
    most_bytes: z.number(),
  })
  .meta({ title: "KbOverview" });

/** A document, as pages get it. */
export const KbDocumentRow = z
  .object({
    id: z.string(),
    collection: z.string(),
    name: z.string(),
    title: z.string(),
    /** An absolute path, an address, or `upload:<name>`. */
    origin: z.string(),
    state: z.enum(["reading", "ready", "failed"]),
    bytes: z.number(),
    pieces: z.number(),
    characters: z.number(),
    note: z.string().exactOptional(),
    /** Why it could not be read; with `ready`, why not again. */
    problem: z.string().exactOptional(),
    added_at: time,
    read_at: time.exactOptional(),
    tried_at: time.exactOptional(),
    source: z.string().exactOptional(),
    /** Whether the file or address is there to be read again. */
    can_read_again: z.boolean(),
  })
  .meta({ title: "KbDocument" });

/** A page of documents. */
export const KbDocumentPage = z
  .object({ data: z.array(KbDocumentRow), next: z.string().exactOptional() })
  .meta({ title: "KbDocumentPage" });

/** A document with its headings. */
export const KbDocumentDetail = KbDocumentRow.extend({
  headings: z.array(z.object({ heading: z.string(), piece: z.number(), pieces: z.number() })),
}).meta({ title: "KbDocumentDetail" });

/** A part of a document's text. */
export const KbPassageWire = z
  .object({
    pieces: z.array(z.object({ piece: z.number(), heading: z.string(), text: z.string() })),
    /** The piece with which the next part begins. */
    next: z.number().exactOptional(),
  })
  .meta({ title: "KbPassage" });

/** What became of a document that was read. */
export const KbSeen = z
  .object({
    id: z.string(),
    name: z.string(),
    outcome: z.enum(["read", "unchanged", "failed", "gone", "removed", "asked"]),
    problem: z.string().exactOptional(),
    pieces: z.number().exactOptional(),
    note: z.string().exactOptional(),
  })
  .meta({ title: "KbSeenDocument" });

const marks = z
  .array(z.tuple([z.number(), z.number()]))
  .describe("Beginnings and ends of words that were found");

/** The places that answer a search, as a session gets them. */
export const KbSearchAnswer = z
  .object({
    data: z.array(
      z.object({
        document: z.string(),
        title: z.string(),
        collection: z.string(),
        piece: z.number(),
        heading: z.string(),
        heading_marks: marks,
        text: z.string(),
        text_marks: marks,
      }),
    ),
    /** The collections that were searched; all without them. */
    collections: z.array(z.string()).exactOptional(),
  })
  .meta({ title: "KbSearch" });

/** A folder, file or address that is read again, as pages get it. */
export const KbSourceRow = z
  .object({
    id: z.string(),
    kind: z.enum(["folder", "file", "address"]),
    location: z.string(),
    collection: z.string(),
    /** In words; absent: only when somebody asks. */
    every: z.string().exactOptional(),
    next_at: time.exactOptional(),
    added_at: time,
    /** It waits to be read, or is being read. */
    reading: z
      .object({ started: z.boolean(), done: z.number(), total: z.number().exactOptional() })
      .exactOptional(),
    last: z
      .object({
        at: time,
        read: z.number(),
        unchanged: z.number(),
        failed: z.number(),
        removed: z.number(),
        left_out: z.string().exactOptional(),
        problem: z.string().exactOptional(),
      })
      .exactOptional(),
  })
  .meta({ title: "KbSource" });

/** The sources of documents. */
export const KbSourceList = z.object({ data: z.array(KbSourceRow) }).meta({ title: "KbSources" });

/** A source as somebody asks for it. */
export const KbSourceDraft = z
  .object({
    location: z.string().trim().min(1).max(4000),
    collection: z.string().max(200),
    /** Such as `every 1h` or `daily`; without it, it is read once. */
    every: z.string().trim().min(1).max(200).exactOptional(),
  })
  .meta({ title: "NewKbSource" });

/** Another schedule, or none. */
export const KbSourcePatch = z
  .object({ every: z.string().trim().min(1).max(200).nullable() })
  .meta({ title: "KbSourceChange" });
