import type { KbPort } from "../../dashboard/index.ts";
import { isAddress, type SeenDocument, type Source } from "../../automation/sources/index.ts";
import type { KbDocument } from "../../providers/kb/index.ts";
import { searchedWords, wordMarks } from "../../providers/kb/word-marks.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Agent } from "../compose.ts";
import type { HomeSources } from "../kb/home-sources.ts";
import { Uploads } from "../kb/uploads.ts";
import { collectionsOfPersona } from "../people/persona-collections.ts";

/** Characters of a document that are shown at a time. */
const SHOWN = 20_000;
/** Places that a search of the page gives. */
const PLACES = 10;

/** The knowledge base, for the dashboard. */
export function kbPages(agent: Agent, { sources, documents }: HomeSources): KbPort {
  const { kb: home, personas, settings } = agent;
  const uploads = new Uploads(settings.paths.home);
  const rowOf = async (source: Source): Promise<SourceRow> =>
    sourceRow(source, await sources.reading(source.id));
  return {
    mostBytes: async () => (await home.open()).limits.bytes,
    async overview() {
      const kb = await home.open();
      await personas.changed();
      return {
        collections: [...(await kb.collections())],
        personas: [...personas.names()],
        most_bytes: kb.limits.bytes,
      };
    },
    documents: async (collection) => (await (await home.open()).documents(collection)).map(documentRow),
    async document(id) {
      const { document, headings } = await (await home.open()).outline(id);
      return { ...documentRow(document), headings: [...headings] };
    },
    async passage(id, from) {
      const { document, pieces } = await (await home.open()).passage({ id, from, characters: SHOWN });
      const last = pieces.at(-1)?.piece ?? document.pieces;
      return { pieces: [...pieces], ...(last < document.pieces && { next: last + 1 }) };
    },
    upload: async (file, signal) => seenRow(await uploads.take(file, await home.open(), signal)),
    async readAgain(id, signal) {
      const seen = await documents.readAgain(id, signal);
      return "asked" in seen ? { id, name: seen.asked.location, outcome: "asked" } : seenRow(seen);
    },
    remove: (id) => documents.remove(id),
    removeCollection: (name) => documents.removeCollection(name),
    search: (wish) => search(agent, wish),
    sources: async () => await Promise.all((await sources.list()).map(rowOf)),
    addSource: async (draft) => await rowOf(await sources.add(draft)),
    changeSource: async (id, every) => await rowOf(await sources.change(id, every)),
    async readSource(id) {
      await sources.read(id, true);
      return await rowOf(await sources.get(id));
    },
    removeSource: (id) => sources.remove(id),
  };
}

type SourceRow = Awaited<ReturnType<KbPort["sources"]>>[number];
type DocumentRow = Awaited<ReturnType<KbPort["documents"]>>[number];
type SeenRow = Awaited<ReturnType<KbPort["upload"]>>;

async function search(
  agent: Agent,
  { words, collection, persona }: Parameters<KbPort["search"]>[0],
): ReturnType<KbPort["search"]> {
  const seen = persona === undefined ? undefined : await collectionsOfPersona(agent, persona);
  const isSeen = (name: string): boolean => seen === undefined || seen.includes(name);
  const wanted = collection === undefined ? seen : [collection].filter(isSeen);
  const where = wanted === undefined ? {} : { collections: [...wanted] };
  const found = await (await agent.kb.open()).search({ words, limit: PLACES, ...where });
  const marked = searchedWords(words);
  const data = found.map(({ score: _score, ...hit }) => ({
    ...hit,
    heading_marks: wordMarks(hit.heading, marked),
    text_marks: wordMarks(hit.text, marked),
  }));
  return { data, ...where };
}

const seconds = (at: number | undefined): number | undefined =>
  at === undefined ? undefined : Math.floor(at / 1000);

const seenRow = ({ id, name, outcome, problem, pieces, note }: Omit<SeenDocument, "origin">): SeenRow => ({
  id,
  name,
  outcome,
  ...defined({ problem, pieces, note }),
});

function documentRow({ addedAt, readAt, triedAt, ...document }: KbDocument): DocumentRow {
  const { origin, source } = document;
  return {
    ...document,
    added_at: Math.floor(addedAt / 1000),
    ...defined({ read_at: seconds(readAt), tried_at: seconds(triedAt) }),
    can_read_again: source !== undefined || (!isAddress(origin) && !origin.startsWith("upload:")),
  };
}

function sourceRow(
  { id, kind, location, collection, schedule, nextReadAt, addedAt, last }: Source,
  reading: Awaited<ReturnType<HomeSources["sources"]["reading"]>>,
): SourceRow {
  return {
    id,
    kind,
    location,
    collection,
    added_at: Math.floor(addedAt / 1000),
    ...defined({
      every: schedule?.display,
      next_at: seconds(nextReadAt),
      reading:
        reading &&
        defined({ started: reading.startedAt !== undefined, done: reading.done ?? 0, total: reading.total }),
    }),
    ...(last && { last: outcomeRow(last) }),
  };
}

const outcomeRow = ({ at, leftOut, ...counts }: NonNullable<Source["last"]>) => ({
  ...counts,
  at: Math.floor(at / 1000),
  ...defined({ left_out: leftOut }),
});
