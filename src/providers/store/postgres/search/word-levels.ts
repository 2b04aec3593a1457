import { LAST_CHARACTER, LevelChance, mostEndings, SHORTEST_BEGINNING } from "../../search/word-level.ts";
import { integer, text } from "../columns.ts";
import type { Sql } from "../connections.ts";
import { statement } from "../statement.ts";

const MOST_CACHED = 50_000;

const LEVELS = statement(
  "search_levels",
  "SELECT word, level FROM search_words WHERE word = ANY ($1::text[])",
);

const SAVE = statement(
  "search_save_levels",
  `INSERT INTO search_words (word, level) SELECT * FROM unnest($1::text[], $2::smallint[])
   ON CONFLICT (word) DO UPDATE SET level = greatest(search_words.level, excluded.level)`,
);

const ENDINGS = statement(
  "search_endings",
  `SELECT asked.word AS beginning, found.word FROM unnest($1::text[], $2::integer[]) AS asked (word, most)
   CROSS JOIN LATERAL (
     SELECT word FROM search_words WHERE word >= asked.word AND word < asked.word || '${LAST_CHARACTER}'
     ORDER BY level DESC, word LIMIT asked.most
   ) found`,
);

/** The words of the index with about how many texts have each. Only one host at a time writes them. */
export class WordLevels {
  readonly #chance = new LevelChance();
  #levels = new Map<string, number>();
  readonly #changed = new Map<string, number>();

  /** Reads what is not known of some words. */
  async load(sql: Sql, words: ReadonlySet<string>): Promise<void> {
    if (this.#levels.size > MOST_CACHED) this.forget();
    const unknown = [...words].filter((word) => !this.#levels.has(word));
    if (unknown.length === 0) return;
    for (const [word, level] of await levelsOf(sql, unknown)) this.#levels.set(word, level);
  }

  /** Counts the words of a text. The more frequent a word is, the more seldom that has to be written. */
  learn(words: Iterable<string>): void {
    for (const word of words) {
      const level = this.#levels.get(word);
      if (level !== undefined && !this.#chance.isNext(level)) continue;
      const next = level === undefined ? 0 : level + 1;
      this.#levels.set(word, next);
      this.#changed.set(word, next);
    }
  }

  async save(sql: Sql): Promise<void> {
    if (this.#changed.size === 0) return;
    await sql.query(SAVE, [[...this.#changed.keys()], [...this.#changed.values()]]);
    this.#changed.clear();
  }

  /** What is known may be wrong: a transaction was undone. */
  forget(): void {
    this.#levels = new Map();
    this.#changed.clear();
  }
}

/** The levels of those words that some text has had. */
export async function levelsOf(sql: Sql, words: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query(LEVELS, [words]);
  return new Map(rows.map((row) => [text(row, "word"), integer(row, "level")]));
}

/** The most frequent words that begin so; a beginning itself is one when it is a word. */
export async function endingsOf(
  sql: Sql,
  beginnings: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = beginnings.filter((word) => word.length >= SHORTEST_BEGINNING);
  const rows =
    asked.length === 0
      ? []
      : await sql.query(ENDINGS, [asked, asked.map(({ length }) => mostEndings(length))]);
  const found = Map.groupBy(rows, (row) => text(row, "beginning"));
  return new Map(
    beginnings.map((word) => [
      word,
      [...new Set([word, ...(found.get(word) ?? []).map((row) => text(row, "word"))])],
    ]),
  );
}
