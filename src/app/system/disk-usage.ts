import type { Dirent, Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { DiskPart } from "../../dashboard/index.ts";

/** The parts of a home by the names at its top, in the order in which a file that several of them share is counted. */
const PARTS: readonly (readonly [part: DiskPart, owns: RegExp])[] = [
  ["database", /^(?:state\.|pieces$)/],
  ["search_index", /^search-\d+\.db/],
  ["files", /^blobs$/],
  ["checkpoints", /^checkpoints$/],
  ["logs", /^logs$/],
  ["profiles", /^profiles$/],
  ["versions", /^versions$/],
  ["backups", /^backups$/],
];

/** Adds up the bytes of a home's files, by their parts. A file under several names counts once, links lead nowhere. */
export async function diskUsage(home: string): Promise<ReadonlyMap<DiskPart, number>> {
  const seen = new Set<string>();
  const names = await entriesOf(home);
  const sums = new Map<DiskPart, number>();
  for (const [part, owns] of [...PARTS, ["other", /./] as const]) {
    const mine = names.filter(({ name }) => owns.test(name) && (part !== "other" || !isNamed(name)));
    let sum = 0;
    for (const entry of mine) sum += await bytesOf(home, entry, seen);
    sums.set(part, sum);
  }
  return sums;
}

const isNamed = (name: string): boolean => PARTS.some(([, owns]) => owns.test(name));

async function bytesOf(folder: string, entry: Dirent, seen: Set<string>): Promise<number> {
  const path = join(folder, entry.name);
  if (entry.isDirectory()) {
    let sum = 0;
    for (const each of await entriesOf(path)) sum += await bytesOf(path, each, seen);
    return sum;
  }
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || !found.isFile() || isSeen(found, seen)) return 0;
  return found.size;
}

function isSeen({ nlink, dev, ino }: Stats, seen: Set<string>): boolean {
  if (nlink === 1) return false;
  const key = `${dev}:${ino}`;
  if (seen.has(key)) return true;
  seen.add(key);
  return false;
}

/** Files come and go while one looks. */
const entriesOf = (folder: string): Promise<readonly Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch(() => []);
