import { wordsIn } from "../store/search/words.ts";

/** The words of a search as they are compared. */
export const searchedWords = (query: string): ReadonlySet<string> =>
  new Set(Array.from(wordsIn(query), ({ word }) => word));

/** The places of a search's words in a text: beginnings and ends, in order, none over another. */
export function wordMarks(text: string, words: ReadonlySet<string>): [number, number][] {
  const marks: [number, number][] = [];
  for (const { word, start, end } of wordsIn(text)) {
    if (!words.has(word)) continue;
    const last = marks.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else marks.push([start, end]);
  }
  return marks;
}
