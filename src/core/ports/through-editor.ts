import type { ClientFiles } from "./client-io.ts";

/** A file as a tool reaches it on the disk; `undefined` is no file, or none with text. */
export interface DiskText {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

interface OfFile {
  readonly files: ClientFiles | undefined;
  /** Absolute. */
  readonly path: string;
  readonly signal: AbortSignal;
}

/**
 * Saves a text through the client's editor, so that its user can review the change there. When there is no editor, or
 * nothing of it reached the disk, the text is written directly. Gives the text that is on the disk then: an editor may
 * format what it saves.
 *
 * @throws what reading and writing the disk throw
 */
export async function saveText(
  text: string,
  { files, path, signal }: OfFile,
  disk: DiskText,
): Promise<string> {
  if (files?.writeText !== undefined) {
    const before = await disk.read();
    if (await files.writeText(path, text, signal)) {
      const after = await disk.read();
      if (after !== undefined && (after === text || after !== before)) return after;
    }
  }
  await disk.write(text);
  return text;
}

/** The text that counts for a reader: what the editor shows when it has something else than the disk. */
export async function currentText(
  onDisk: string | undefined,
  { files, path, signal }: OfFile,
): Promise<string | undefined> {
  const shown = await files?.readText?.(path, signal);
  // Some editors answer with nothing for what they do not have.
  return shown === undefined || shown === "" ? onDisk : shown;
}
