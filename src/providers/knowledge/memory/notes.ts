/** A part of a memory file: an entry of its list, or whatever else a person wrote there. */
export interface Note {
  readonly kind: "entry" | "other";
  /** As they stand in the file. */
  readonly lines: readonly string[];
}

const MARKER = /^[-*+] /;
const CONTINUED = /^(?: {2}|\t)/;

/**
 * Takes a memory file apart: entries are the points of a list, with the indented lines below them. Everything else is
 * kept as it is.
 */
export function readNotes(text: string): readonly Note[] {
  const notes: { kind: Note["kind"]; lines: string[] }[] = [];
  const plain = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  if (plain === "") return notes;
  for (const line of plain.split("\n")) {
    const last = notes.at(-1);
    if (MARKER.test(line)) notes.push({ kind: "entry", lines: [line] });
    else if (last?.kind === "entry" && CONTINUED.test(line)) last.lines.push(line);
    else if (last?.kind === "other") last.lines.push(line);
    else notes.push({ kind: "other", lines: [line] });
  }
  return notes;
}

export function writeNotes(notes: readonly Note[]): string {
  return notes.map(({ lines }) => `${lines.join("\n")}\n`).join("");
}

/** What an entry says, without its marks; the text of anything else. */
export function wordsOf({ kind, lines }: Note): string {
  if (kind === "other") return lines.join("\n");
  return lines
    .map((line, index) => line.replace(index === 0 ? MARKER : CONTINUED, ""))
    .join("\n")
    .trim();
}

export function entryOf(words: string): Note {
  const [first = "", ...rest] = words.split("\n").filter((line) => line.trim() !== "");
  return { kind: "entry", lines: [`- ${first.trim()}`, ...rest.map((line) => `  ${line}`)] };
}

/** Puts an entry behind the last one: what a person wrote at the end stays there. */
export function withEntry(notes: readonly Note[], entry: Note): readonly Note[] {
  const last = notes.findLastIndex(({ kind }) => kind === "entry");
  if (last < 0) return [...notes, entry];
  return notes.toSpliced(last + 1, 0, entry);
}
