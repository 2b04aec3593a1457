import { integer, text } from "../sqlite/columns.ts";
import type { Database } from "../sqlite/database.ts";
import { LAST_CHARACTER, LevelChance, mostEndings, SHORTEST_BEGINNING } from "./word-level.ts";

const MOST_CACHED = 50_000;

/** The words of an index with about how many documents have each, so that a beginning can be completed. */
export class Vocabulary {
  readonly #database: Database;
  /** Levels that are known without asking the database. */
  #levels = new Map<string, number>();
  readonly #chance = new LevelChance();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts the words of a document. The more frequent a word is, the more seldom that has to be written. */
  learn(words: Iterable<string>): void {
    if (this.#levels.size > MOST_CACHED) this.forget();
    for (const word of words) {
      const level = this.#levels.get(word) ?? this.level(word);
      if (level === undefined) this.#write(word, 0);
      else if (this.#chance.isNext(level)) this.#write(word, level + 1);
      else this.#levels.set(word, level);
    }
  }

  /** What is known may be wrong: a transaction was undone, or another process wrote. */
  forget(): void {
    this.#levels = new Map();
  }

  /** `undefined` when no document has had the word. */
  level(word: string): number | undefined {
    const row = this.#database.one("SELECT level FROM search_words WHERE word = ?", word);
    return row && integer(row, "level");
  }

  /** The most frequent words that begin so; the beginning itself is one when it is a word. */
  wordsFrom(beginning: string): readonly string[] {
    if (beginning.length < SHORTEST_BEGINNING) return [beginning];
    const rows = this.#database.all(
      "SELECT word FROM search_words WHERE word >= ? AND word < ? ORDER BY level DESC, word LIMIT ?",
      beginning,
      beginning + LAST_CHARACTER,
      mostEndings(beginning.length),
    );
    return [...new Set([beginning, ...rows.map((row) => text(row, "word"))])];
  }

  #write(word: string, level: number): void {
    const replace = "ON CONFLICT (word) DO UPDATE SET level = excluded.level";
    this.#database.insert("search_words", { word, level }, replace);
    this.#levels.set(word, level);
  }
}
