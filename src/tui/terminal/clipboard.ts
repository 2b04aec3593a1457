/** Longer texts are not taken by terminals, in bytes before encoding. */
const LONGEST = 74_994;

/** What makes the terminal copy a text (OSC 52), and nothing when it would not take it. */
export function copySequence(text: string): string | undefined {
  const bytes = Buffer.from(text, "utf8");
  return bytes.length > LONGEST ? undefined : `\u001b]52;c;${bytes.toString("base64")}\u0007`;
}

/** The blocks of code of an answer, in order. */
export function codeBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let open: { readonly mark: string; readonly lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (open === undefined) {
      if (mark !== undefined) open = { mark, lines: [] };
    } else if (mark?.startsWith(open.mark) === true) {
      blocks.push(open.lines.map((each) => `${each}\n`).join(""));
      open = undefined;
    } else open.lines.push(line);
  }
  return blocks;
}
