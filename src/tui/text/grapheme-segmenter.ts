/**
 * Texts in which every code unit is a character for itself: none of these joins its neighbour. A carriage return is
 * missing, because it joins a line feed, and everything that marks, joins or chooses a variant.
 */
const SINGLE =
  /^[\t\n -\x7e\xa0-\xac\xae-\xff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u27bf\u2800-\u28ff]*$/;

let system: Intl.Segmenter | undefined;

/**
 * A cutter of texts into what a person sees as characters. The system's segmenter loads tables for 10 ms when the first is made,
 * which the first frame of a terminal client need not wait for: most texts of a terminal are cut without it.
 */
export class GraphemeSegmenter {
  segment(text: string): Pick<Intl.Segments, "containing"> & Iterable<Intl.SegmentData> {
    if (SINGLE.test(text)) return new SingleSegments(text);
    system ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
    return system.segment(text);
  }
}

class SingleSegments {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  containing(index = 0): Intl.SegmentData | undefined {
    const segment = this.#text[index];
    return segment === undefined ? undefined : { segment, index, input: this.#text };
  }

  *[Symbol.iterator](): Generator<Intl.SegmentData, undefined> {
    const input = this.#text;
    for (let index = 0; index < input.length; index += 1)
      yield { segment: input.charAt(index), index, input };
  }
}
