import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../src/shared/async/clock.ts";
import { openKb } from "../src/providers/kb/index.ts";
import { median, percentile, report } from "./figures.ts";

/**
 * Search in a knowledge base of many pieces: how long each kind of question takes, and how long a document takes to be added.
 * `npx node bench/kb.ts --pieces 100000`.
 */
const { values } = parseArgs({ options: { pieces: { type: "string", default: "100000" } } });
const PIECES = Number(values.pieces);
const PER_DOCUMENT = 500;
const WORDS_OF_PIECE = 300;
const VOCABULARY = 80_000;
const SEARCHES = 100;

let seed = 1;
const random = (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

/** The word of a rank: the more frequent, the shorter. */
const wordOf = (rank: number): string =>
  (rank + 40).toString(26).replaceAll(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "");

/** As often as words of a language come: the second half as often as the first. */
const anyWord = (): string => wordOf(Math.floor(Math.exp(random() * Math.log(VOCABULARY))) - 1);

const words = (count: number): string => Array.from({ length: count }, anyWord).join(" ");

const anyDocument = (): string =>
  Array.from({ length: PER_DOCUMENT }, () => `## ${words(3)}\n\n${words(WORDS_OF_PIECE)}`).join("\n\n");

/** Questions as models ask them. The words differ each time. */
const KINDS: Readonly<Record<string, (nth: number) => string>> = {
  "a rare word": (nth) => wordOf(40_000 + nth * 37),
  "a common word": (nth) => wordOf(nth % 9),
  "a question of ten words": () => words(10),
  "three common words": (nth) => [nth % 7, 7 + (nth % 9), 16 + (nth % 20)].map(wordOf).join(" "),
  "three words": (nth) => [20 + nth, 300 + nth, 900 + nth].map(wordOf).join(" "),
  "a word that is nowhere": (nth) => `nowhere${nth}`,
};

const home = mkdtempSync(join(tmpdir(), "agent-bench-kb-"));
try {
  await using kb = openKb({ home, clock: systemClock });
  const { signal } = new AbortController();
  const adding: number[] = [];
  for (let nth = 0; nth < PIECES / PER_DOCUMENT; nth += 1) {
    const bytes = Buffer.from(anyDocument());
    const began = performance.now();
    const name = `${nth}.md`;
    await kb.add({ collection: `c${nth % 4}`, name, origin: `upload:${name}`, bytes }, signal);
    adding.push(performance.now() - began);
  }
  const pieces = (await kb.collections()).reduce((sum, each) => sum + each.pieces, 0);
  report(`adding a document of ${PER_DOCUMENT} pieces, p50`, median(adding), { unit: "ms" });
  const all: number[] = [];
  for (const [name, kind] of Object.entries(KINDS)) {
    const times: number[] = [];
    for (let nth = 0; nth <= SEARCHES; nth += 1) {
      const query = { words: kind(nth), limit: 5, ...(nth % 2 === 1 && { collections: ["c1", "c2"] }) };
      const began = performance.now();
      await kb.search(query);
      // The first of a kind reads from disk what the others find in memory.
      if (nth > 0) times.push(performance.now() - began);
    }
    all.push(...times);
    report(`${name}, p50`, median(times), { unit: "ms" });
    report(`${name}, p99`, percentile(times, 0.99), { unit: "ms", goal: { value: 50 } });
  }
  report(`all searches in ${pieces} pieces, p99`, percentile(all, 0.99), { unit: "ms", goal: { value: 50 } });
} finally {
  rmSync(home, { recursive: true });
}
