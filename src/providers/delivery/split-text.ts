/**
 * Cuts a text into parts of at most so many characters: at the last empty line, line or space of the second half, else
 * where it must be, but never inside a character.
 */
export function splitText(text: string, limit: number): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const at = cutAt(rest, limit);
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  if (rest !== "" || parts.length === 0) parts.push(rest);
  return parts.filter((part, index) => part !== "" || index === 0);
}

function cutAt(text: string, limit: number): number {
  for (const mark of ["\n\n", "\n", " "]) {
    const at = text.lastIndexOf(mark, limit);
    if (at > limit / 2) return at;
  }
  const code = text.charCodeAt(limit - 1);
  return code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit;
}
