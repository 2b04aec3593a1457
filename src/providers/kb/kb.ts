import { createHash } from "node:crypto";
import type { Clock } from "../../shared/async/clock.ts";
import { randomHex } from "../../shared/crypto/random-hex.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { visibleInLine } from "../../shared/text/visible.ts";
import { collectionName } from "./collection-name.ts";
import type {
  DocumentPlace,
  KbCollection,
  KbDocument,
  KbHit,
  KbOutline,
  KbPassage,
  KbQuery,
  KnownDocument,
} from "./documents.ts";
import type { PassageWish } from "./read-documents.ts";
import { DocumentReader } from "./reading/document-reader.ts";
import type { ReadingLimits } from "./reading/request.ts";
import { KbThread } from "./thread.ts";

/** A document to be added. */
export interface GivenDocument extends DocumentPlace {
  /** As its server said; what it is is found out without. */
  readonly mediaType?: string;
  readonly bytes: Uint8Array;
  /** Read it even if its bytes are those that were read before. */
  readonly again?: boolean;
}

/** The outcome of adding a document. */
export interface AddedDocument {
  readonly id: string;
  /** `gone`: somebody removed it, or began to read it anew, meanwhile. */
  readonly outcome: "read" | "unchanged" | "failed" | "gone";
  readonly problem?: string;
  /** What was read. */
  readonly pieces?: number;
  readonly note?: string;
}

/** The documents of a home: added, listed, searched, read and removed. Errors of the database are `store_*`. */
export interface Kb extends AsyncDisposable {
  readonly limits: ReadingLimits;
  /**
   * Reads a document, and puts it in the place of the one with the same origin. What cannot be read is no error.
   *
   * @throws HostError `interrupted` when `signal` aborts: what was there before stays
   */
  add(document: GivenDocument, signal: AbortSignal): Promise<AddedDocument>;
  /** Notes that a document could not be got at all; text that was read before stays. */
  refuse(place: DocumentPlace & { readonly bytes?: number }, problem: string): Promise<AddedDocument>;
  /** @returns the ids that were there */
  remove(ids: readonly string[]): Promise<readonly string[]>;
  documents(collection?: string): Promise<readonly KbDocument[]>;
  /** @throws HostError `not_found` */
  document(id: string): Promise<KbDocument>;
  /** The documents of a source. */
  known(source: string): Promise<readonly KnownDocument[]>;
  /** @throws HostError `not_found` */
  outline(id: string): Promise<KbOutline>;
  collections(): Promise<readonly KbCollection[]>;
  /** @throws HostError `invalid_params` when there is no word in it */
  search(query: KbQuery): Promise<readonly KbHit[]>;
  /** @throws HostError `not_found` */
  passage(wish: PassageWish): Promise<KbPassage>;
  /** Looks through the whole database. @throws HostError `store_corrupt` */
  check(): Promise<{ readonly documents: number; readonly pieces: number }>;
}

/** Options of the knowledge base. */
export interface KbOptions {
  readonly home: string;
  readonly clock: Clock;
  readonly limits?: Partial<ReadingLimits>;
}

const LONGEST_NAME = 300;

/** Opens the knowledge base of a home. Its thread and its database are opened with the first call. */
export function openKb({ home, clock, limits }: KbOptions): Kb {
  const thread = new KbThread({ home });
  const reader = new DocumentReader({ clock, ...(limits && { limits }) });
  const begin = (place: DocumentPlace, file: { hash: string; bytes: number; again?: boolean }) =>
    thread.call("begin", { ...checked(place), ...file }, `d_${randomHex(6)}`);
  return {
    limits: reader.limits,
    async add({ mediaType = "", bytes, again = false, ...place }, signal) {
      const hash = createHash("sha256").update(bytes).digest("hex");
      const { name, stamp } = place;
      const begun = await begin(place, { hash, bytes: bytes.length, again });
      const { id } = begun;
      if (begun.unchanged) return { id, outcome: "unchanged" };
      try {
        const read = await reader.read({ name, mediaType, bytes }, signal);
        const found = { hash, bytes: bytes.length, read, ...(stamp && { stamp }) };
        const isThere = await thread.call("finish", begun, found);
        const { pieces, note } = read;
        return isThere
          ? { id, outcome: "read", pieces: pieces.length, ...(note !== undefined && { note }) }
          : { id, outcome: "gone" };
      } catch (thrown) {
        if (signal.aborted) {
          await thread.call("breakOff", begun);
          throw thrown;
        }
        const problem = toHostError(thrown).message;
        const isThere = await thread.call("fail", begun, { problem, stamp });
        return isThere ? { id, outcome: "failed", problem } : { id, outcome: "gone" };
      }
    },
    async refuse({ bytes = 0, ...place }, problem) {
      const begun = await begin(place, { hash: "", bytes });
      await thread.call("fail", begun, { problem, stamp: place.stamp });
      return { id: begun.id, outcome: "failed", problem };
    },
    remove: (ids) => thread.call("remove", ids),
    documents: (collection) => thread.call("documents", collection),
    document: (id) => thread.call("document", id),
    known: (source) => thread.call("known", source),
    outline: (id) => thread.call("outline", id),
    collections: () => thread.call("collections"),
    search: (query) => thread.call("search", query),
    passage: (wish) => thread.call("passage", wish),
    check: () => thread.call("check"),
    [Symbol.asyncDispose]: () => thread.close(),
  };
}

/** Names are shown to people and models: none of them holds characters that nobody sees. */
const checked = (place: DocumentPlace): DocumentPlace => ({
  ...place,
  collection: collectionName(place.collection),
  name: visibleInLine(place.name).slice(0, LONGEST_NAME).toWellFormed(),
});
