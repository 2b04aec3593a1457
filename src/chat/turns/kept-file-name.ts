import type { InboxEntry } from "../inbox/entry.ts";

/** Bytes of a name; file systems take 255. */
const LONGEST_NAME = 120;
/** Bytes of the end of a name that says of which kind it is. */
const LONGEST_ENDING = 16;
/** Letters of the message's id before a name: people send many files of one name. */
const ID_LETTERS = 10;

/**
 * The name under which a file of a message is kept: the same in every process, and another one for each file of each message.
 * The id before it makes it no hidden file, no device and no option of a command.
 *
 * @param taken - names of the message's files before it
 */
export function keptFileName(
  { id }: Pick<InboxEntry, "id">,
  given: string,
  taken: ReadonlySet<string>,
): string {
  const letters = id.slice(id.lastIndexOf("-") + 1).slice(0, ID_LETTERS);
  for (let number = 1; ; number += 1) {
    const start = number === 1 ? letters : `${letters}-${number}`;
    const name = `${start}-${safeName(given, LONGEST_NAME - start.length - 1)}`;
    if (!taken.has(name)) return name;
  }
}

/** A name of letters, digits, `_`, `-` and dots inside it; its ending stays when it is cut. */
function safeName(given: string, most: number): string {
  const name = given
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, "_")
    .replaceAll(/\.{2,}/g, ".")
    .replaceAll(/^[._-]+|[._-]+$/g, "");
  if (name === "") return "file";
  if (Buffer.byteLength(name) <= most) return name;
  const dot = name.lastIndexOf(".");
  const ending = dot === -1 ? "" : name.slice(dot);
  if (ending === "" || Buffer.byteLength(ending) > LONGEST_ENDING) return cut(name, most);
  return `${cut(name.slice(0, dot), most - Buffer.byteLength(ending))}${ending}`;
}

/** As many whole characters as there is room for. */
function cut(text: string, most: number): string {
  let bytes = 0;
  let kept = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) break;
    kept += character;
  }
  return kept;
}
