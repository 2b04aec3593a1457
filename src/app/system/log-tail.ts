import { type FileHandle, open } from "node:fs/promises";
import { olderLog } from "../process/log-file.ts";

/** The choice of lines of a log. */
export interface LogTailWish<Line> {
  /** A cursor that a page gave: only what came later. Without one, the newest lines. */
  readonly after?: string;
  readonly limit: number;
  /** Reads a line; `undefined` for one that is not wanted. */
  readonly pick: (text: string) => Line | undefined;
}

/** Some lines of a log, the oldest first, and where to go on. */
export interface LogTailPage<Line> {
  readonly lines: readonly Line[];
  readonly next: string;
}

const PIECE_BYTES = 64 * 1024;
/** A page of new lines ends after so many bytes; the rest comes with the next one. */
const MOST_BYTES = 16 * PIECE_BYTES;
const LINE_END = 0x0a;

/** Reads a log that is being written, and the older one that was put aside. A page holds no more than its lines. */
export async function tailLog<Line>(file: string, wish: LogTailWish<Line>): Promise<LogTailPage<Line>> {
  const { after } = wish;
  if (after === undefined) return await newest(file, wish);
  await using log = await openLogFile(file);
  if (log === undefined) return { lines: [], next: after };
  const [id, at] = cursorParts(after);
  if (id === log.id) return await forward(log, at, wish);
  // The log was put aside meanwhile: first the rest of what is the older one now.
  await using older = await openLogFile(olderLog(file));
  if (older?.id !== id) return await forward(log, 0, wish);
  const page = await forward(older, at, wish);
  const isRead = page.next === after || page.next === cursorOf(older, older.size);
  return isRead ? { ...page, next: cursorOf(log, 0) } : page;
}

/** A log file that is open; its id tells it from the one that takes its name later. */
interface LogFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly id: string;
  readonly size: number;
}

async function openLogFile(file: string): Promise<LogFile | undefined> {
  const handle = await open(file, "r").catch(() => undefined);
  if (handle === undefined) return undefined;
  const { ino, size } = await handle.stat();
  return { handle, id: String(ino), size, [Symbol.asyncDispose]: () => handle.close() };
}

const cursorOf = ({ id }: Pick<LogFile, "id">, at: number): string => `${id}-${at}`;

function cursorParts(cursor: string): readonly [id: string, at: number] {
  const [, id = "", at = "0"] = /^(\d+)-(\d{1,15})$/.exec(cursor) ?? [];
  return [id, Number(at)];
}

/** Reads on from a place, whole lines only. */
async function forward<Line>(
  { handle, id, size }: LogFile,
  from: number,
  wish: LogTailWish<Line>,
): Promise<LogTailPage<Line>> {
  const lines: Line[] = [];
  const start = Math.min(from, size);
  let at = start;
  const until = Math.min(size, start + MOST_BYTES);
  let rest = Buffer.alloc(0);
  for (let place = start; place < until && lines.length < wish.limit; place += PIECE_BYTES) {
    const bytes = Buffer.concat([rest, await pieceAt(handle, place, Math.min(PIECE_BYTES, size - place))]);
    let begin = 0;
    for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, begin)) {
      if (lines.length === wish.limit) break;
      keep(lines, bytes.subarray(begin, end), wish);
      begin = end + 1;
    }
    at += begin;
    rest = bytes.subarray(begin);
  }
  // A line that is longer than a page is no record.
  const next = at === start && rest.byteLength >= MOST_BYTES ? until : at;
  return { lines, next: cursorOf({ id }, next) };
}

/** Reads the newest lines, from the end, and on into the older log while they are too few. */
async function newest<Line>(file: string, wish: LogTailWish<Line>): Promise<LogTailPage<Line>> {
  const found: Line[] = [];
  let next: string | undefined;
  for (const path of [file, olderLog(file)]) {
    await using log = await openLogFile(path);
    if (log === undefined) continue;
    const end = await backward(log, found, wish);
    next ??= cursorOf(log, end);
    if (found.length >= wish.limit) break;
  }
  return { lines: found.toReversed(), next: next ?? cursorOf({ id: "0" }, 0) };
}

/** Adds the lines of a file to `found`, the newest first; gives where its last whole line ends. */
async function backward<Line>(
  { handle, size }: LogFile,
  found: Line[],
  wish: LogTailWish<Line>,
): Promise<number> {
  let whole: number | undefined;
  let rest = Buffer.alloc(0);
  for (let end = size; end > 0 && found.length < wish.limit;) {
    const begin = Math.max(0, end - PIECE_BYTES);
    let bytes = Buffer.concat([await pieceAt(handle, begin, end - begin), rest]);
    if (whole === undefined) {
      const last = bytes.lastIndexOf(LINE_END);
      whole = last === -1 ? undefined : begin + last + 1;
      if (last !== -1) bytes = bytes.subarray(0, last);
    }
    for (let last = bytes.lastIndexOf(LINE_END); last !== -1; last = bytes.lastIndexOf(LINE_END)) {
      if (found.length === wish.limit) break;
      keep(found, bytes.subarray(last + 1), wish);
      bytes = bytes.subarray(0, last);
    }
    rest = bytes;
    end = begin;
    if (begin === 0 && whole !== undefined && found.length < wish.limit) keep(found, bytes, wish);
  }
  return whole ?? 0;
}

async function pieceAt(handle: FileHandle, place: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, place);
  return buffer.subarray(0, bytesRead);
}

function keep<Line>(lines: Line[], bytes: Buffer, { pick }: LogTailWish<Line>): void {
  const line = bytes.byteLength === 0 ? undefined : pick(bytes.toString("utf8"));
  if (line !== undefined) lines.push(line);
}
