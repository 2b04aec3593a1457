/** A stretch of a text. */
interface Stretch {
  readonly text: string;
  readonly isCode: boolean;
}

const OPENS = /^(`{3,})[^`\n]*\n?$/;
const CLOSES = /^([ \t]*)(`{3,})[ \t]*\n?$/;
/** Lines of which every parser says the same: each sign of code belongs to a span of the line that a blank is before. */
const CLEAR_LINE = /^(?:[^`[<\\]|(?<!\S)`[^`\n]+`(?!`))*$/;
const CLEAR_SPAN = /(?<!\S)(`[^`\n]+`)/;

/**
 * Tells code from text where no parser of Markdown can see it otherwise: blocks that begin at the left edge, and spans in
 * plain paragraphs. Behind the first fence that is not clear all is text.
 */
export function clearCode(source: string): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let [at, from] = [0, 0];
  let fence: string | undefined;
  const end = (isCode: boolean): void => {
    const text = source.slice(from, at);
    // One by one: as arguments of one call there may be too many.
    for (const stretch of isCode ? [{ text, isCode }] : spansOf(text)) stretches.push(stretch);
    from = at;
  };
  for (const line of source.split(/(?<=\n)/)) {
    if (fence !== undefined) {
      at += line.length;
      const [, blanks = "", mark = ""] = CLOSES.exec(line) ?? [];
      if (mark.length < fence.length) continue;
      end(true);
      fence = undefined;
      if (blanks === "") continue;
      break;
    }
    const mark = OPENS.exec(line)?.[1];
    if (mark !== undefined) {
      end(false);
      fence = mark;
    } else if (/`{3}|~{3}/.test(line)) break;
    at += line.length;
  }
  end(fence !== undefined);
  return [...stretches, { text: source.slice(at), isCode: false }];
}

/** The spans of paragraphs all of whose lines are clear. */
const spansOf = (text: string): readonly Stretch[] =>
  text.split(/(?<=\n[ \t]*\n)/).flatMap((paragraph) =>
    paragraph
      .trimEnd()
      .split("\n")
      .every((line) => CLEAR_LINE.test(line))
      ? paragraph.split(CLEAR_SPAN).map((words, index) => ({ text: words, isCode: index % 2 === 1 }))
      : [{ text: paragraph, isCode: false }],
  );
