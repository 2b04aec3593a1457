import { open, realpath } from "node:fs/promises";
import { isSecret } from "../../providers/tools/index.ts";
import type { TextFile } from "../../rpc/ports.ts";

const BYTES_PER_CHARACTER = 4;
/** Bytes in which a binary file shows itself. */
const LOOKED_AT = 8192;

/** Reads the beginning of a text file; `undefined` when it is no text, or cannot be read. */
export async function readTextStart(path: string, most: number): Promise<TextFile | undefined> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, most * BYTES_PER_CHARACTER));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (buffer.subarray(0, Math.min(bytesRead, LOOKED_AT)).includes(0)) return undefined;
    const all = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: true });
    const isCut = all.length > most || bytesRead < size;
    const sensitive = isSecret(path) || isSecret(await realpath(path));
    return {
      text: all.slice(0, most).toWellFormed(),
      ...(isCut ? { whole: size } : {}),
      ...(sensitive ? { sensitive } : {}),
    };
  } catch {
    // Whoever named it sees that nothing went along; the agent's own tools say what is wrong with it.
    return undefined;
  }
}
