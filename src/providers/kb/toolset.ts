import { z } from "zod";
import { type AnyTool, defineTool, textPart, type Toolset, type ToolSession } from "../../core/index.ts";
import { untrusted } from "../web/untrusted.ts";
import { citedPlace, type DocumentPiece } from "./documents.ts";
import type { Kb } from "./kb.ts";

/** Options of the tools. */
export interface KbToolsetOptions {
  readonly kb: Pick<Kb, "search" | "passage">;
  /** The collections that a session sees; all without them. */
  readonly collectionsOf: (session: ToolSession) => readonly string[] | undefined;
  /** Characters of one result. */
  readonly outputLimit: number;
}

/** `kb`: finding places in the documents of a home, and reading on there. */
export function kbToolset(options: KbToolsetOptions): Toolset {
  return {
    name: "kb",
    label: "Knowledge base",
    description: "Search the documents of the knowledge base and read them",
    configured: true,
    tools: [searchTool(options), readTool(options)],
  };
}

const MOST = 10;
/** Characters that what stands around a text may take. */
const FRAME = 1500;

const searchInput = z.object({
  query: z.string().min(1).max(1000).describe("Words of the question; rare ones count most"),
  limit: z.int().min(1).max(MOST).default(5).describe("Places, at most"),
});

function searchTool({ kb, collectionsOf, outputLimit }: KbToolsetOptions): AnyTool {
  return defineTool({
    name: "kb_search",
    toolset: "kb",
    description:
      "Searches the documents that were given to you as a knowledge base, and gives the best places with document, heading and text. Look here before you answer questions about the organisation. Name document and heading in your answer; `kb_read` reads on.",
    kind: "search",
    effect: "pure",
    input: searchInput,
    label: ({ query }) => `Search documents: ${query}`.slice(0, 80),
    permit: () => Promise.resolve({ verdict: "allow" }),
    async run({ query, limit }, { session, turnId, callId }) {
      const hits = await kb.search({ words: query, limit, ...within(collectionsOf(session)) });
      if (hits.length === 0)
        return {
          outcome: "ok",
          content: [textPart("No document says anything about it.")],
          summary: "nothing found",
        };
      const each = Math.floor((outputLimit - FRAME) / hits.length);
      const places = hits.map(({ document, piece, title, heading, text, collection }, at) => {
        const place = `[${at + 1}] ${citedPlace({ title, heading })} (collection ${collection}; document ${document}, piece ${piece})`;
        return `${place}\n${text.slice(0, Math.max(200, each - place.length))}`;
      });
      const said = untrusted(places.join("\n\n"), {
        from: "document",
        source: "knowledge base",
        secret: `${turnId} ${callId}`,
      });
      return { outcome: "ok", content: [textPart(said)], summary: `${hits.length} places` };
    },
  });
}

const readInput = z.object({
  document: z.string().min(1).max(100).describe("The document's id, as kb_search gives it"),
  piece: z.int().min(1).default(1).describe("The piece to begin with"),
});

function readTool({ kb, collectionsOf, outputLimit }: KbToolsetOptions): AnyTool {
  return defineTool({
    name: "kb_read",
    toolset: "kb",
    description:
      "Reads a document of the knowledge base from a piece on. Long ones come in parts: go on with the next piece.",
    kind: "read",
    effect: "pure",
    input: readInput,
    label: ({ document, piece }) => `Read ${document}, piece ${piece}`.slice(0, 80),
    permit: () => Promise.resolve({ verdict: "allow" }),
    async run({ document: id, piece: from }, { session, turnId, callId }) {
      const wish = { id, from, characters: Math.max(1000, outputLimit - FRAME - HEADINGS) };
      const { document, pieces } = await kb.passage({ ...wish, ...within(collectionsOf(session)) });
      const last = pieces.at(-1)?.piece;
      if (last === undefined)
        throw new Error(`${document.title} has ${document.pieces} pieces; there is no piece ${from}.`);
      // The title is the document's own, too: nothing of it stands outside of the marks.
      const about = `${document.title} (collection ${document.collection})`;
      const said = untrusted(`${about}\n\n${withHeadings(pieces)}`, {
        from: "document",
        source: document.name,
        secret: `${turnId} ${callId}`,
      });
      const place = `Pieces ${from} to ${last} of ${document.pieces}.`;
      const next = last < document.pieces ? ` Go on with piece ${last + 1}.` : "";
      return {
        outcome: "ok",
        content: [textPart(`${said}\n[${place}${next}]`)],
        summary: document.title.slice(0, 80),
      };
    },
  });
}

/** Characters that headings between the pieces may take. */
const HEADINGS = 4000;

const within = (collections: readonly string[] | undefined) =>
  collections === undefined ? {} : { collections };

/** Says each heading once. */
const withHeadings = (pieces: readonly DocumentPiece[]): string =>
  pieces
    .map(({ heading, text }, at) =>
      heading === "" || heading === pieces[at - 1]?.heading ? text : `## ${heading}\n\n${text}`,
    )
    .join("\n\n");
