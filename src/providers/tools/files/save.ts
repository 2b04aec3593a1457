import { toolFailed } from "../../../shared/errors/host-error.ts";
import { saveText, type ToolContext } from "../../../core/index.ts";
import type { FileMark } from "../workspace/replace-entry.ts";
import { workspaceOf, type FileTools } from "./file-tools.ts";
import { encode, readContent } from "./text-content.ts";

/**
 * Puts the new text in its place: through the editor of the client when it has one, so that its user sees the change
 * there, else directly.
 *
 * @throws HostError `tool_failed` when the file is not what the change was made for any more
 */
export async function save(
  change: Change,
  { context, tools }: ChangeContext,
): Promise<{ readonly text: string; readonly mark: FileMark }> {
  const { path, newText, hasBom, before } = change;
  const workspace = workspaceOf(context.session, tools);
  const write = (text: string): Promise<FileMark> =>
    workspace.replaceFile(path, encode(text, hasBom), before);
  // An editor is given text, which has no place for the mark at its beginning.
  if (context.files?.writeText === undefined || hasBom) return { text: newText, mark: await write(newText) };
  if (((await readContent(workspace, path))?.mark ?? null) !== before)
    throw toolFailed(`${path} was changed by somebody else meanwhile; read it again`);
  const { files, signal } = context;
  const text = await saveText(
    newText,
    { files, path: workspace.locate(path), signal },
    {
      read: async () => (await readContent(workspace, path))?.content?.text,
      write: async (whole) => void (await write(whole)),
    },
  );
  const saved = await readContent(workspace, path);
  if (saved === undefined) throw toolFailed(`${path} is not there any more, right after it was saved`);
  return { text, mark: saved.mark };
}

/** The call and the tools that a change belongs to. */
export interface ChangeContext {
  readonly context: ToolContext;
  readonly tools: FileTools;
}

/** A file as it would be after a call. */
export interface Change {
  /** As the call wrote it. */
  readonly path: string;
  readonly realPath: string;
  /** What is there now; `null` is nothing. */
  readonly before: FileMark | null;
  /** Its text now; `undefined` when it is none that could be shown. */
  readonly oldText: string | null | undefined;
  readonly newText: string;
  readonly hasBom: boolean;
  /** Where it changes first. */
  readonly line: number;
}
