/** Shorter words are not completed: too many begin so. */
export const SHORTEST_BEGINNING = 2;

/** The most frequent words that a beginning stands for, by its length; each costs time, and those of a short one the most. */
export const mostEndings = (length: number): number => Math.min(24, 4 * length);

/** Behind every word that begins so. */
export const LAST_CHARACTER = "\u{10ffff}";

/** Levels of words: 2^level is about the number of documents with the word. */
export class LevelChance {
  #random = 1;

  /** Comes true once in 2^level times, so that a level is reached after about as many documents. */
  isNext(level: number): boolean {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#random / 2 ** 32 < 2 ** -level;
  }
}
