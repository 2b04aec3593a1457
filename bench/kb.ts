import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../src/shared/async/clock.ts";
import { type Kb, openKb } from "../src/providers/kb/index.ts";
import { books } from "../test/providers/kb/manuals.ts";
import { median, percentile, report } from "./figures.ts";

/**
 * Search in a knowledge base of real manuals, read from Markdown, HTML, PDF, DOCX and text: how long each kind of question
 * takes, and how long a piece takes to be read. `npx node bench/kb.ts --pieces 100000`.
 */
const { values } = parseArgs({ options: { pieces: { type: "string", default: "100000" } } });
const PIECES = Number(values.pieces);
const CHARACTERS_OF_BOOK = 300_000;
const SEARCHES = 100;
const AT_ONCE = 2;

let seed = 1;
const random = (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const anyOf = <T>(all: readonly T[], otherwise: T): T => all[Math.floor(random() * all.length)] ?? otherwise;

/** Reads books until there are enough pieces; gives milliseconds per piece of each kind. */
async function fill(kb: Kb): Promise<ReadonlyMap<string, readonly number[]>> {
  const { signal } = new AbortController();
  const times = new Map<string, number[]>();
  const next = books(CHARACTERS_OF_BOOK);
  let pieces = 0;
  const read = async (): Promise<void> => {
    for (const { name, bytes } of next) {
      const kind = name.split(".").at(-1) ?? "";
      const began = performance.now();
      const added = await kb.add({ collection: kind, name, origin: `upload:${name}`, bytes }, signal);
      if (added.pieces === undefined) throw new Error(`${name}: ${added.problem}`);
      pieces += added.pieces;
      times.set(kind, [...(times.get(kind) ?? []), (performance.now() - began) / added.pieces]);
      if (pieces >= PIECES) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, read));
  return times;
}

/** The words of some passages, from the most frequent to the rarest, and sentences out of them. */
async function vocabulary(kb: Kb) {
  const counts = new Map<string, number>();
  const sentences: string[] = [];
  for (const { id, pieces } of await kb.documents()) {
    const from = 1 + Math.floor(random() * pieces);
    for (const { text } of (await kb.passage({ id, from, characters: 20_000 })).pieces) {
      const words = text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      if (words.length > 10) sentences.push(words.slice(0, 10).join(" "));
    }
  }
  const ranked = [...counts].toSorted(([, one], [, other]) => other - one).map(([word]) => word);
  return { ranked, sentences };
}

const home = mkdtempSync(join(tmpdir(), "agent-bench-kb-"));
try {
  await using kb = openKb({ home, clock: systemClock });
  for (const [kind, times] of await fill(kb))
    report(`reading and adding a piece of ${kind}, p50`, median(times), { unit: "ms" });
  const pieces = (await kb.collections()).reduce((sum, each) => sum + each.pieces, 0);
  const { ranked, sentences } = await vocabulary(kb);
  const common = ranked.slice(0, 20);
  const middle = ranked.slice(50, 2000);
  const rare = ranked.slice(-5000);
  /** Questions as models ask them. */
  const kinds: Readonly<Record<string, (nth: number) => string>> = {
    "a rare word": () => anyOf(rare, ""),
    "a common word": () => anyOf(common, ""),
    "a question of ten words": () => anyOf(sentences, ""),
    "three common words": () => [1, 2, 3].map(() => anyOf(common, "")).join(" "),
    "three words": () => [1, 2, 3].map(() => anyOf(middle, "")).join(" "),
    "a word that is nowhere": (nth) => `nowhere${nth}`,
  };
  const all: number[] = [];
  let [answers, cited] = [0, 0];
  for (const [name, kind] of Object.entries(kinds)) {
    const times: number[] = [];
    for (let nth = 0; nth <= SEARCHES; nth += 1) {
      const query = {
        words: kind(nth),
        limit: 5,
        ...(nth % 2 === 1 && { collections: ["md", "html", "docx"] }),
      };
      const began = performance.now();
      const found = await kb.search(query);
      // The first of a kind reads from disk what the others find in memory.
      if (nth > 0) times.push(performance.now() - began);
      if (nth % 2 === 0) continue;
      answers += found.length;
      cited += found.filter(({ title, heading }) => title !== "" && heading !== "").length;
    }
    all.push(...times);
    report(`${name}, p50`, median(times), { unit: "ms" });
    report(`${name}, p99`, percentile(times, 0.99), { unit: "ms", goal: { value: 50 } });
  }
  report(`all searches in ${pieces} pieces, p99`, percentile(all, 0.99), { unit: "ms", goal: { value: 50 } });
  report("answers from documents with headings that name one", (100 * cited) / answers, { unit: "%" });
} finally {
  rmSync(home, { recursive: true });
}
