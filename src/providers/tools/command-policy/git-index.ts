/** Bytes of an entry before its name, with object ids of 20 bytes. */
const FIXED = 62;
const FLAGS_AT = 60;
const HEADER = 12;
/** The flag of entries that have two more bytes, in version 3. */
const EXTENDED = 0x4000;
const LENGTH = 0x0fff;

/**
 * Whether all names of a git index lie inside the folder that it is for. Git itself writes no others, but reads them: with
 * `../x` in a crafted index, `git diff` shows a file outside.
 *
 * @returns `false` also for a form that is not known here: version 4, which shortens names
 */
export function isOrdinaryIndex(index: Buffer): boolean {
  if (index.length < HEADER || index.toString("latin1", 0, 4) !== "DIRC") return false;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return false;
  let at = HEADER;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    if (at + FIXED > index.length) return false;
    const flags = index.readUInt16BE(at + FLAGS_AT);
    const start = at + FIXED + ((flags & EXTENDED) === 0 ? 0 : 2);
    const end = index.indexOf(0, start);
    const length = flags & LENGTH;
    // Git believes the length, where it is given.
    if (end < 0 || (length !== LENGTH && length !== end - start)) return false;
    if (!isInside(index.toString("latin1", start, end))) return false;
    at += Math.ceil((end + 1 - at) / 8) * 8;
  }
  return true;
}

const isInside = (name: string): boolean =>
  name.split("/").every((part) => !["", ".", "..", ".git"].includes(part.toLowerCase()));
