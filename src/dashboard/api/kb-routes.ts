import type { z } from "zod";
import type { HttpContext } from "../../http/server/context.ts";
import { requestBody } from "../../http/server/body.ts";
import { formatBytes } from "../../shared/text/format.ts";
import { route } from "../../http/server/api-route.ts";
import { countOf } from "../../http/server/decode.ts";
import { bodyOf, type DashboardApi, type DashboardRoute, Done, noteAt, reads } from "./dashboard-api.ts";
import {
  KbDocumentDetail,
  KbDocumentPage,
  type KbDocumentRow,
  KbOverview,
  KbPassageWire,
  KbSearchAnswer,
  KbSeen,
  KbSourceDraft,
  KbSourceList,
  KbSourcePatch,
  KbSourceRow,
} from "./kb-wire.ts";
import { hasWords, PAGE_QUERY, pageOfNames } from "./list-page.ts";

/** A file on its way to the knowledge base. */
export interface KbUpload {
  readonly name: string;
  readonly collection: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The words of a search, and where it looks. */
export interface KbSearchWish {
  readonly words: string;
  readonly collection: string | undefined;
  readonly persona: string | undefined;
}

/** The knowledge base of a home. Errors are `not_found`, `invalid_params`, `conflict`, `store_*`. */
export interface KbPort {
  /** Bytes of the largest document that is read. */
  mostBytes(): Promise<number>;
  overview(): Promise<z.output<typeof KbOverview>>;
  documents(collection: string | undefined): Promise<readonly z.output<typeof KbDocumentRow>[]>;
  document(id: string): Promise<z.output<typeof KbDocumentDetail>>;
  passage(id: string, from: number): Promise<z.output<typeof KbPassageWire>>;
  /** Takes a file while it arrives, and reads it. */
  upload(file: KbUpload, signal: AbortSignal): Promise<z.output<typeof KbSeen>>;
  readAgain(id: string, signal: AbortSignal): Promise<z.output<typeof KbSeen>>;
  /** @returns what it was */
  remove(id: string): Promise<{ readonly name: string; readonly collection: string }>;
  /** @returns how many documents it had */
  removeCollection(name: string): Promise<number>;
  search(wish: KbSearchWish): Promise<z.output<typeof KbSearchAnswer>>;
  sources(): Promise<readonly z.output<typeof KbSourceRow>[]>;
  addSource(draft: z.output<typeof KbSourceDraft>): Promise<z.output<typeof KbSourceRow>>;
  changeSource(id: string, every: string | null): Promise<z.output<typeof KbSourceRow>>;
  readSource(id: string): Promise<z.output<typeof KbSourceRow>>;
  /** @returns what it was */
  removeSource(id: string): Promise<{ readonly location: string; readonly collection: string }>;
}

const ALL = "/dashboard/api/kb";
const LAST_PIECE = { otherwise: 1, most: Number.MAX_SAFE_INTEGER } as const;

/** Declares the routes of the page of the knowledge base. */
export const kbPageRoutes = (kb: KbPort): readonly DashboardRoute[] => [
  ...documentRoutes(kb),
  ...changeRoutes(kb),
  ...sourceRoutes(kb),
];

const documentRoutes = (kb: KbPort): readonly DashboardRoute[] => [
  reads(`GET ${ALL}`, () => kb.overview(), {
    id: "showKb",
    summary: "The collections of the knowledge base",
    answer: KbOverview,
  }),
  reads(
    `GET ${ALL}/documents`,
    async (c) => {
      const { collection, state, q = "" } = c.req.query();
      const found = (await kb.documents(collection)).filter(
        (each) =>
          hasWords(q, [each.name, each.title, each.origin]) &&
          (state === undefined || state === each.state || (state === "failed" && each.problem !== undefined)),
      );
      // By collection and name, which only the id tells apart in the end.
      return pageOfNames(c, found, ({ collection: where, name, id }) => `${where}/${name}/${id}`);
    },
    {
      id: "listKbDocuments",
      summary: "The documents of a collection, or of all; `q` filters names, `state` what became of them",
      answer: KbDocumentPage,
      query: [...PAGE_QUERY, "q", "collection", "state"],
    },
  ),
  reads(`GET ${ALL}/documents/{document_id}`, (_c, _api, id) => kb.document(id), {
    id: "showKbDocument",
    summary: "A document with its headings",
    answer: KbDocumentDetail,
  }),
  reads(
    `GET ${ALL}/documents/{document_id}/text`,
    (c, _api, id) => kb.passage(id, Math.max(1, countOf(c.req.query("from"), LAST_PIECE))),
    {
      id: "readKbDocument",
      summary: "What was read of a document, from a piece on",
      answer: KbPassageWire,
      query: ["from"],
    },
  ),
  reads(
    `GET ${ALL}/search`,
    (c) => {
      const { q = "", collection, persona } = c.req.query();
      return kb.search({ words: q, collection, persona });
    },
    {
      id: "searchKb",
      summary: "Search as a session does: in all, in a collection, or as a persona",
      answer: KbSearchAnswer,
      query: ["q", "collection", "persona"],
    },
  ),
];

const changeRoutes = (kb: KbPort): readonly DashboardRoute[] => [
  route(
    `POST ${ALL}/uploads`,
    async (c, api: DashboardApi) => {
      const { name = "", collection = "" } = c.req.query();
      const seen = await kb.upload({ name, collection, body: fileOf(c, kb) }, c.req.raw.signal);
      const after = { name: seen.name, collection, outcome: seen.outcome };
      await noteAt(c, api, { action: "kb.document.added", subject: seen.id, after });
      return c.json(seen);
    },
    {
      id: "uploadKbDocument",
      summary: "Add a document: the body is the file itself",
      file: true,
      answer: KbSeen,
      query: ["name", "collection"],
    },
  ),
  route(
    `POST ${ALL}/documents/{document_id}/again`,
    async (c, api: DashboardApi, id) => {
      const seen = await kb.readAgain(id, c.req.raw.signal);
      await noteAt(c, api, { action: "kb.document.read", subject: id, after: { outcome: seen.outcome } });
      return c.json(seen);
    },
    {
      id: "readKbDocumentAgain",
      summary: "Read a document again, also when it has not changed",
      answer: KbSeen,
    },
  ),
  route(
    `DELETE ${ALL}/documents/{document_id}`,
    async (c, api: DashboardApi, id) => {
      await noteAt(c, api, { action: "kb.document.removed", subject: id, before: await kb.remove(id) });
      return c.json({ ok: true });
    },
    { id: "removeKbDocument", summary: "Remove a document; no search finds it from then on", answer: Done },
  ),
  route(
    `DELETE ${ALL}/collections/{collection_id}`,
    async (c, api: DashboardApi, name) => {
      const before = { documents: await kb.removeCollection(name) };
      await noteAt(c, api, { action: "kb.collection.removed", subject: name, before });
      return c.json({ ok: true });
    },
    { id: "removeKbCollection", summary: "Remove a collection with its documents and sources", answer: Done },
  ),
];

const sourceRoutes = (kb: KbPort): readonly DashboardRoute[] => [
  reads(`GET ${ALL}/sources`, async () => ({ data: await kb.sources() }), {
    id: "listKbSources",
    summary: "The folders, files and addresses that documents are read from",
    answer: KbSourceList,
  }),
  route(
    `POST ${ALL}/sources`,
    async (c, api: DashboardApi) => {
      const source = await kb.addSource(await bodyOf(c, KbSourceDraft));
      await noteAt(c, api, { action: "kb.source.added", subject: source.id, after: chosenOf(source) });
      return c.json(source);
    },
    {
      id: "addKbSource",
      summary: "Read a folder, file or address, once or again and again",
      body: KbSourceDraft,
      answer: KbSourceRow,
    },
  ),
  route(
    `PATCH ${ALL}/sources/{source_id}`,
    async (c, api: DashboardApi, id) => {
      const source = await kb.changeSource(id, (await bodyOf(c, KbSourcePatch)).every);
      await noteAt(c, api, { action: "kb.source.changed", subject: id, after: chosenOf(source) });
      return c.json(source);
    },
    {
      id: "changeKbSource",
      summary: "Change how often it is read",
      body: KbSourcePatch,
      answer: KbSourceRow,
    },
  ),
  route(
    `POST ${ALL}/sources/{source_id}/read`,
    async (c, api: DashboardApi, id) => {
      const source = await kb.readSource(id);
      await noteAt(c, api, { action: "kb.source.read", subject: id });
      return c.json(source);
    },
    { id: "readKbSource", summary: "Read a source as soon as possible", answer: KbSourceRow },
  ),
  route(
    `DELETE ${ALL}/sources/{source_id}`,
    async (c, api: DashboardApi, id) => {
      await noteAt(c, api, { action: "kb.source.removed", subject: id, before: await kb.removeSource(id) });
      return c.json({ ok: true });
    },
    { id: "removeKbSource", summary: "Remove a source with all that was read of it", answer: Done },
  ),
];

/** The part of a source that somebody chose, for the audit log. */
const chosenOf = ({ location, collection, every }: z.output<typeof KbSourceRow>) => ({
  location,
  collection,
  every: every ?? "when asked",
});

const UPLOAD_MESSAGES = {
  encoded: "The file is packed on its way (Content-Encoding). Send it as it is.",
  invalidLength: "Content-Length is no number.",
  brokenOff: "The upload was broken off.",
} as const;

/** The file as it arrives. */
async function* fileOf(c: HttpContext, kb: KbPort): AsyncGenerator<Uint8Array, void, undefined> {
  const most = await kb.mostBytes();
  const tooLarge = `The file has more than ${formatBytes(most)}, which is the most that is read of one document. Send it in parts.`;
  yield* requestBody(c, most, { ...UPLOAD_MESSAGES, tooLarge });
}
