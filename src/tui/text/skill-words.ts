const END = "\n</skill>";

/** A skill that a prompt brings along is long, and its reader knows it: it is shown by its name. */
export function withoutSkills(text: string): string {
  let shown = "";
  let from = 0;
  for (const { index, 0: opening, 1: name = "" } of text.matchAll(/<skill name="([^"\n<]*)">\n/g)) {
    if (index < from) continue;
    const end = text.indexOf(END, index + opening.length - 1);
    // Without an end here, none of those that follow has one.
    if (end === -1) break;
    shown += `${withoutBreaks(text.slice(from, index))} (skill ${name})`;
    from = end + END.length;
  }
  return shown + text.slice(from);
}

function withoutBreaks(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end -= 1;
  return text.slice(0, end);
}
