import { createHash } from "node:crypto";
import type { Clock } from "../../shared/async/clock.ts";
import { randomHex } from "../../shared/crypto/random-hex.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { KbCollection, KbDocument, KbHit, KbPassage, KbQuery } from "./documents.ts";
import type { PassageWish } from "./library.ts";
import { DocumentReader } from "./reading/document-reader.ts";
import type { ReadingLimits } from "./reading/request.ts";
import { KbThread } from "./thread.ts";

/** A document to be added. */
export interface GivenDocument {
  readonly collection: string;
  /** The name of its file, or its address. */
  readonly name: string;
  /** An absolute path, an address, or `upload:<name>`. */
  readonly origin: string;
  /** As its server said; what it is is found out without. */
  readonly mediaType?: string;
  readonly bytes: Uint8Array;
}

/** The outcome of adding a document. */
export interface AddedDocument {
  readonly id: string;
  /** `gone`: somebody removed it, or began to read it anew, meanwhile. */
  readonly outcome: "read" | "unchanged" | "failed" | "gone";
  readonly problem?: string;
}

/** The documents of a home: added, listed, searched, read and removed. Errors of the database are `store_*`. */
export interface Kb extends AsyncDisposable {
  /** Reads a document, and puts it in the place of the one with the same origin. What cannot be read is no error. */
  add(document: GivenDocument, signal: AbortSignal): Promise<AddedDocument>;
  /** @returns the ids that were there */
  remove(ids: readonly string[]): Promise<readonly string[]>;
  documents(collection?: string): Promise<readonly KbDocument[]>;
  collections(): Promise<readonly KbCollection[]>;
  /** @throws HostError `invalid_params` when there is no word in it */
  search(query: KbQuery): Promise<readonly KbHit[]>;
  /** @throws HostError `not_found` */
  passage(wish: PassageWish): Promise<KbPassage>;
}

/** Options of the knowledge base. */
export interface KbOptions {
  readonly home: string;
  readonly clock: Clock;
  readonly limits?: Partial<ReadingLimits>;
}

const LONGEST_NAME = 80;

/** Opens the knowledge base of a home. Its thread and its database are opened with the first call. */
export function openKb({ home, clock, limits }: KbOptions): Kb {
  const thread = new KbThread({ home });
  const reader = new DocumentReader({ clock, ...(limits && { limits }) });
  return {
    async add({ collection, name, origin, mediaType = "", bytes }, signal) {
      const hash = createHash("sha256").update(bytes).digest("hex");
      const place = { collection: collectionName(collection), name, origin };
      const begun = await thread.call("begin", { ...place, hash, bytes: bytes.length }, `d_${randomHex(6)}`);
      const { id } = begun;
      if (begun.unchanged) return { id, outcome: "unchanged" };
      try {
        const read = await reader.read({ name, mediaType, bytes }, signal);
        return { id, outcome: (await thread.call("finish", begun, { hash, read })) ? "read" : "gone" };
      } catch (thrown) {
        const problem = toHostError(thrown).message;
        return (await thread.call("fail", begun, problem))
          ? { id, outcome: "failed", problem }
          : { id, outcome: "gone" };
      }
    },
    remove: (ids) => thread.call("remove", ids),
    documents: (collection) => thread.call("documents", collection),
    collections: () => thread.call("collections"),
    search: (query) => thread.call("search", query),
    passage: (wish) => thread.call("passage", wish),
    [Symbol.asyncDispose]: () => thread.close(),
  };
}

function collectionName(given: string): string {
  const name = given.trim();
  if (name !== "" && name.length <= LONGEST_NAME && !/\p{C}/u.test(name)) return name;
  throw new HostError(
    "invalid_params",
    `"${name.slice(0, LONGEST_NAME)}" is no name of a collection. Use 1 to ${LONGEST_NAME} characters on one line.`,
  );
}
