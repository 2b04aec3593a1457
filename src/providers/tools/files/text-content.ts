import { HostError } from "../../../shared/errors/host-error.ts";
import { type ToolContext, currentText } from "../../../core/index.ts";
import { markOf, type FileMark } from "../workspace/replace-entry.ts";
import type { Workspace } from "../workspace/workspace.ts";

interface TextContent {
  /** Without its byte order mark. */
  readonly text: string;
  readonly hasBom: boolean;
}

/** The text of a file and the form in which it is stored. */
export interface FileContent {
  /** Its real path. */
  readonly path: string;
  readonly mark: FileMark;
  /** Absent when it is too large, or no UTF-8. */
  readonly content?: TextContent;
  readonly reason?: string;
}

const BOM = "\uFEFF";
/** Bytes of a file that is changed as a whole. */
const LARGEST = 10n * 1024n * 1024n;

/** Reads a file that is about to be changed; `undefined` when there is none. */
export async function readContent(workspace: Workspace, path: string): Promise<FileContent | undefined> {
  try {
    await using file = await workspace.openFile(path);
    const found = { path: file.path, mark: markOf(file.stat) };
    if (file.stat.size > LARGEST)
      return { ...found, reason: `it has ${file.stat.size} bytes, at most ${LARGEST}` };
    const text = decode(await file.handle.readFile());
    if (text === undefined) return { ...found, reason: "it is not UTF-8 text" };
    const hasBom = text.startsWith(BOM);
    return { ...found, content: { text: hasBom ? text.slice(1) : text, hasBom } };
  } catch (error) {
    if (error instanceof HostError && error.code === "not_found") return undefined;
    throw error;
  }
}

/**
 * Reads a file for a change of it. What the editor of the client shows counts, saved or not, when it is the editor that
 * will save the change: otherwise the two would undo each other's work.
 */
export async function readForChange(
  workspace: Workspace,
  path: string,
  { files, signal }: Pick<ToolContext, "files" | "signal">,
): Promise<FileContent | undefined> {
  const found = await readContent(workspace, path);
  if (found?.content === undefined || files?.writeText === undefined) return found;
  const { content } = found;
  const text = await currentText(content.text, { files, path: workspace.locate(path), signal });
  return text === undefined ? found : { ...found, content: { ...content, text } };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined; // Not UTF-8.
  }
}

/** The bytes of a text, with the byte order mark where the file had one. */
export function encode(text: string, hasBom: boolean): Uint8Array {
  return new TextEncoder().encode(hasBom ? BOM + text : text);
}

/** Whether every line of a text ends in CR LF. */
export function isCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text);
}

export function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}
