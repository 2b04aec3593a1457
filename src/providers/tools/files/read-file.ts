import { z } from "zod";
import {
  type AnyTool,
  type ToolContext,
  type ToolResult,
  currentText,
  defineTool,
  textPart,
} from "../../../core/index.ts";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import { markOf } from "../workspace/replace-entry.ts";
import type { WorkspaceFile } from "../workspace/workspace.ts";
import { workspaceOf, type FileTools } from "./file-tools.ts";
import { type FileLine, linesOf, readLines } from "./lines.ts";
import { mediaOf } from "./media.ts";
import { permitRead } from "./permit-read.ts";
import { LARGEST_IMAGE, showImage } from "./show-image.ts";

const LINES = 2000;
const LONGEST_LINE = 2000;
/** Bytes of a file up to which its lines are counted to the end. */
const COUNTED = 64 * 1024 * 1024;

const input = z.object({
  path: z.string().describe("The file, relative to the working directory or absolute"),
  offset: z.number().int().min(1).optional().describe("First line to read, counted from 1"),
  limit: z.number().int().min(1).optional().describe(`Number of lines to read, ${LINES} by default`),
});

type Input = z.output<typeof input>;

export function readFileTool(tools: FileTools): AnyTool {
  return defineTool({
    name: "read_file",
    toolset: "files",
    description:
      "Reads a text file with line numbers, or shows an image (PNG, JPEG, GIF, WebP). Long files come in parts: go on with `offset`. The numbers and the tab after them are not part of the file.",
    kind: "read",
    effect: "pure",
    input,
    label: ({ path, offset }) => `Read ${path}${offset === undefined ? "" : ` from line ${offset}`}`,
    locations: ({ path, offset }, session) => [
      {
        path: workspaceOf(session, tools).locate(path),
        ...(offset === undefined ? {} : { line: offset }),
      },
    ],
    permit: ({ path }, { session }) => permitRead(path, session, tools),
    run: async (request, context) => {
      const workspace = workspaceOf(context.session, tools);
      await using file = await workspace.openFile(request.path);
      tools.seen.note(context.session.id, file.path, markOf(file.stat));
      switch (await mediaOf(file.handle)) {
        case "image":
          return await readImage(file, { context, path: request.path });
        case "binary":
          throw toolFailed(
            `${request.path} is a binary file (${file.stat.size} bytes); it cannot be shown as text`,
          );
        case "text":
          return await readText(file, request, { tools, context });
      }
    },
  });
}

async function readImage(
  file: WorkspaceFile,
  { context, path }: { readonly context: ToolContext; readonly path: string },
): Promise<ToolResult> {
  if (file.stat.size > LARGEST_IMAGE) {
    throw toolFailed(
      `${path} has ${file.stat.size} bytes; images of at most ${LARGEST_IMAGE} bytes can be shown. Make it smaller first`,
    );
  }
  return await showImage(await file.handle.readFile(), { name: path, context });
}

/** The lines that fit, and how the file goes on. */
interface Page {
  readonly lines: string[];
  first: number;
  last: number;
  total: number;
  crlf: boolean;
  broken: boolean;
}

async function readText(
  file: WorkspaceFile,
  { path, offset = 1, limit = LINES }: Input,
  { tools, context }: { readonly tools: FileTools; readonly context: ToolContext },
): Promise<ToolResult> {
  const { limit: characters } = tools;
  const source = await linesIn(file, workspaceOf(context.session, tools).locate(path), context);
  if (file.stat.size === 0n)
    return { outcome: "ok", content: [textPart("(the file is empty)")], summary: "empty" };
  const page: Page = { lines: [], first: offset, last: offset - 1, total: 0, crlf: false, broken: false };
  const counts = file.stat.size <= COUNTED;
  let room = characters - NOTES;
  reading: for await (const lines of source) {
    for (const line of lines) {
      page.total = line.number;
      if (line.number < offset) continue;
      const text = `${String(line.number).padStart(6)}\t${line.text}${line.cut > 0 ? ` [… ${line.cut} more characters]` : ""}`;
      const isFull = page.lines.length >= limit || text.length + 1 > room;
      if (isFull) room = 0;
      if (isFull && counts) continue;
      if (isFull) break reading;
      room -= text.length + 1;
      page.lines.push(text);
      page.last = line.number;
      page.crlf ||= line.crlf;
      page.broken ||= line.text.includes("\uFFFD");
    }
  }
  return present(page, path, counts || room > 0);
}

/** The lines of a file: as the client's editor shows them when it has something else than the disk. */
async function linesIn(
  file: WorkspaceFile,
  path: string,
  { files, signal }: ToolContext,
): Promise<AsyncIterable<readonly FileLine[]> | Iterable<readonly FileLine[]>> {
  const isShown = files?.readText !== undefined && file.stat.size > 0n && file.stat.size <= COUNTED;
  const shown = isShown ? await currentText(undefined, { files, path, signal }) : undefined;
  return shown === undefined ? readLines(file.handle, LONGEST_LINE, signal) : [linesOf(shown, LONGEST_LINE)];
}

/** Characters that the notes below the lines may take. */
const NOTES = 300;

function present(
  { lines, first, last, total, crlf, broken }: Page,
  path: string,
  isCounted: boolean,
): ToolResult {
  if (lines.length === 0) {
    throw toolFailed(`${path} has ${total} lines; there is no line ${first}`);
  }
  const of = isCounted ? ` of ${total}` : "";
  const isWhole = first === 1 && last === total && isCounted;
  const notes = [
    isWhole ? undefined : `Lines ${first}-${last}${of}.`,
    isCounted && last === total ? undefined : `Go on with offset ${last + 1}.`,
    crlf ? "Lines end in CR LF." : undefined,
    broken ? "Some bytes are not UTF-8 and are shown as \uFFFD." : undefined,
  ].filter((note) => note !== undefined);
  const text = notes.length === 0 ? lines.join("\n") : `${lines.join("\n")}\n\n[${notes.join(" ")}]`;
  return {
    outcome: "ok",
    content: [textPart(text)],
    summary: isWhole ? `${total} line${total === 1 ? "" : "s"}` : `lines ${first}-${last}${of}`,
  };
}
