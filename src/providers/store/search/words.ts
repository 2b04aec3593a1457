/** A word of a text as it is compared, and where it stands there. */
export interface IndexedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /** Two neighbouring characters of a script without blanks, or one that stands alone. */
  readonly pair?: true;
}

const ASCII = /^[a-z0-9]*$/i;
/** Scripts that put no blanks between words, or join particles to them. */
const unspaced = (): RegExp =>
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu;
/** Below this there is no such script. */
const FIRST_UNSPACED = /[\u0e00-\uffff]/;
const DIACRITICS = /[\u0300-\u036f]/g;
/** Longer ones are no words of a language; their beginning tells them apart. */
const LONGEST = 64;

/**
 * The words of a text in order. Case, accents and the width of characters do not count. In scripts without blanks each
 * two neighbouring characters are a word: whatever two of them somebody looks for, they are found.
 */
export function* wordsIn(text: string): Generator<IndexedWord, void, undefined> {
  for (const { 0: run, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (ASCII.test(run)) yield { word: cut(run.toLowerCase()), start: index, end: index + run.length };
    else if (FIRST_UNSPACED.test(run)) yield* mixed(run, index);
    else yield* spaced(run, index);
  }
}

/** Text as it is compared, without regard to where its words begin. */
export const foldedText = (text: string): string =>
  ASCII.test(text) ? text.toLowerCase() : foldSpaced(text.toLowerCase());

/** A run in which scripts with and without blanks may follow each other. */
function* mixed(run: string, at: number): Generator<IndexedWord, void, undefined> {
  let done = 0;
  for (const { 0: part, index } of run.matchAll(unspaced())) {
    if (index > done) yield* spaced(run.slice(done, index), at + done);
    yield* pairs(part, at + index);
    done = index + part.length;
  }
  if (done < run.length) yield* spaced(run.slice(done), at + done);
}

function* spaced(run: string, start: number): Generator<IndexedWord, void, undefined> {
  const word = cut(foldSpaced(run.toLowerCase()));
  if (word !== "") yield { word, start, end: start + run.length };
}

const foldSpaced = (text: string): string =>
  text.normalize("NFKD").replaceAll(DIACRITICS, "").normalize("NFC").replaceAll("ς", "σ");

function* pairs(run: string, start: number): Generator<IndexedWord, void, undefined> {
  const folded = run.normalize("NFKC").toLowerCase();
  // When folding changes how many characters there are, all of the run stands for each part of it.
  const placeOf = (from: number, to: number): { readonly start: number; readonly end: number } =>
    folded.length === run.length
      ? { start: start + from, end: start + to }
      : { start, end: start + run.length };
  const characters = Array.from(folded);
  let from = 0;
  for (const [place, character] of characters.entries()) {
    const next = characters[place + 1];
    if (next !== undefined) {
      const pair = character + next;
      yield { word: pair, pair: true, ...placeOf(from, from + pair.length) };
    } else if (place === 0) yield { word: character, pair: true, ...placeOf(0, character.length) };
    from += character.length;
  }
}

const cut = (word: string): string => (word.length > LONGEST ? word.slice(0, LONGEST).toWellFormed() : word);
