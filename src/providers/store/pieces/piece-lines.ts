import { crc32 } from "../../../shared/text/crc32.ts";
import type { SavedPiece } from "./saved-pieces.ts";

/** The first line of a file of pieces: a mark, and the generation of what follows, 8 hexadecimal digits. */
const HEADER = /^pieces1 ([0-9a-f]{8})\n/;
/** The bytes of that line. */
export const HEADER_SIZE = 17;

/** @param generation - a number that the file has not had before, so that old lines are not taken for new ones */
export const headerLine = (generation: number): string => `pieces1 ${hex(generation)}\n`;

/** The generation of a file that begins so; `undefined` when it begins otherwise. */
export function generationOf(start: string): number | undefined {
  const digits = HEADER.exec(start)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

/** A piece as a line; its checksum begins with the generation of its file. */
export function encodeLine(generation: number, fence: number, piece: SavedPiece): string {
  const { n, cursor, kind, text } = piece;
  const body = `${fence} ${n} ${cursor} ${kind} ${JSON.stringify(text)}`;
  return `${hex(crc32(body, generation))} ${body}\n`;
}

/** A line that was read, and the lease under which it was written. */
export interface PieceLine {
  readonly fence: number;
  readonly piece: SavedPiece;
}

const LINE = /^([0-9a-f]{8}) (([1-9]\d*) (\d+) (\d+) (text|reasoning) (".*"))$/s;

/** Reads a line without its end; `undefined` when it is not one that was written whole, in this generation. */
export function decodeLine(generation: number, line: string): PieceLine | undefined {
  const [, sum = "", body = "", fence, n, cursor, kind, text = ""] = LINE.exec(line) ?? [];
  if (sum === "" || hex(crc32(body, generation)) !== sum) return undefined;
  return {
    fence: Number(fence),
    piece: {
      n: Number(n),
      cursor: Number(cursor),
      kind: kind === "reasoning" ? "reasoning" : "text",
      // The checksum says that `encodeLine` wrote it.
      text: JSON.parse(text) as string,
    },
  };
}

const hex = (value: number): string => value.toString(16).padStart(8, "0");
