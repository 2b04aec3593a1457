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
  PassageWish,
} from "./documents.ts";
import { DocumentReader } from "./reading/document-reader.ts";
import type { ReadingLimits } from "./reading/request.ts";
import type { KbKeeper } from "./messages.ts";
import { SharedDocuments } from "./shared-documents.ts";
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
  /** Whether there is a document that can be searched. */
  hasDocuments(): Promise<boolean>;
  /** Looks through the whole database. @throws HostError `store_corrupt` */
  check(): Promise<{ readonly documents: number; readonly pieces: number }>;
}

/** Options of the knowledge base. */
export interface KbOptions {
  readonly home: string;
  /** The PostgreSQL database that has the documents, where machines share one; by default they are in the home. */
  readonly url?: string | undefined;
  readonly clock: Clock;
  readonly limits?: Partial<ReadingLimits>;
}

const LONGEST_NAME = 300;

/** Opens the knowledge base of a home. Its database is opened with the first call. */
export function openKb({ home, url, clock, limits }: KbOptions): Kb {
  const keeper: KbKeeper = url === undefined ? new KbThread({ home }) : new SharedDocuments(url);
  const reader = new DocumentReader({ clock, ...(limits && { limits }) });
  const begin = (place: DocumentPlace, file: { hash: string; bytes: number; again?: boolean }) =>
    keeper.call("begin", { ...checked(place), ...file }, `d_${randomHex(6)}`);
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
        const isThere = await keeper.call("finish", begun, found);
        const { pieces, note } = read;
        return isThere
          ? { id, outcome: "read", pieces: pieces.length, ...(note !== undefined && { note }) }
          : { id, outcome: "gone" };
      } catch (thrown) {
        if (signal.aborted) {
          await keeper.call("breakOff", begun);
          throw thrown;
        }
        const problem = toHostError(thrown).message;
        const isThere = await keeper.call("fail", begun, { problem, stamp });
        return isThere ? { id, outcome: "failed", problem } : { id, outcome: "gone" };
      }
    },
    async refuse({ bytes = 0, ...place }, problem) {
      const begun = await begin(place, { hash: "", bytes });
      await keeper.call("fail", begun, { problem, stamp: place.stamp });
      return { id: begun.id, outcome: "failed", problem };
    },
    remove: (ids) => keeper.call("remove", ids),
    documents: (collection) => keeper.call("documents", collection),
    document: (id) => keeper.call("document", id),
    known: (source) => keeper.call("known", source),
    outline: (id) => keeper.call("outline", id),
    collections: () => keeper.call("collections"),
    search: (query) => keeper.call("search", query),
    passage: (wish) => keeper.call("passage", wish),
    hasDocuments: () => keeper.call("hasDocuments"),
    check: () => keeper.call("check"),
    [Symbol.asyncDispose]: () => keeper.close(),
  };
}

/** Names are shown to people and models: none of them holds characters that nobody sees. */
const checked = (place: DocumentPlace): DocumentPlace => ({
  ...place,
  collection: collectionName(place.collection),
  name: visibleInLine(place.name).slice(0, LONGEST_NAME).toWellFormed(),
});
