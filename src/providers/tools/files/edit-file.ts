import { z } from "zod";
import { type AnyTool, type ToolContext, defineTool, textPart } from "../../../core/index.ts";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import { notFound } from "../workspace/file-error.ts";
import { applyChange, checkSeen, locationOf, permitChange } from "./change.ts";
import { editText, type EditedText } from "./edit-text.ts";
import { workspaceOf, type FileTools } from "./file-tools.ts";
import type { Change } from "./save.ts";
import { readForChange } from "./text-content.ts";

const input = z.object({
  path: z.string().describe("The file, relative to the working directory or absolute"),
  old_text: z.string().describe("What to replace, to the letter, with enough around it to occur only once"),
  new_text: z.string().describe("What to put in its place"),
  all: z.boolean().optional().describe("Replace every occurrence"),
});

type Input = z.output<typeof input>;

export function editFileTool(tools: FileTools): AnyTool {
  return defineTool({
    name: "edit_file",
    toolset: "files",
    description:
      "Replaces a text in a file by another one. old_text has to occur in the file exactly as given, and only once unless `all` is set.",
    kind: "edit",
    effect: "once",
    changes: "locations",
    input,
    label: ({ path }) => `Edit ${path}`,
    locations: ({ path }, session) => [{ path: workspaceOf(session, tools).locate(path) }],
    permit: async (request, context) =>
      permitChange((await plan(request, context, tools)).change, "edit", { context, tools }),
    run: async (request, context) => {
      const { change, edited } = await plan(request, context, tools);
      const content = await applyChange(change, { context, tools });
      const places = edited.lines.length === 1 ? "1 place" : `${edited.lines.length} places`;
      return {
        outcome: "ok",
        content: [
          textPart(`Changed ${places} in ${request.path}:\n${excerpt(edited, request.new_text)}`),
          ...content,
        ],
        summary: `${places}, line ${change.line}`,
        locations: [locationOf(change, context, tools)],
      };
    },
  });
}

async function plan(request: Input, context: ToolContext, tools: FileTools) {
  const { path, old_text: oldText, new_text: newText, all = false } = request;
  const found = await readForChange(workspaceOf(context.session, tools), path, context);
  if (found === undefined) throw notFound(path, "to make it, use write_file");
  const { content } = found;
  if (content === undefined) throw toolFailed(`${path} cannot be edited: ${found.reason ?? ""}`);
  const base = {
    path,
    realPath: found.path,
    before: found.mark,
    oldText: content.text,
    hasBom: content.hasBom,
  };
  // Before its text is looked at: that another text is not found in it would only mislead.
  checkSeen({ ...base, newText: "", line: 1 }, context, tools);
  const edited = editText(content.text, { oldText, newText, all }, path);
  const change: Change = { ...base, newText: edited.text, line: edited.lines[0] ?? 1 };
  return { change, edited };
}

const AROUND = 3;
const MOST_SHOWN = 40;

/** The first changed place with its line numbers, so that the next edit need not read the file again. */
function excerpt({ text, lines: [first = 1] }: EditedText, newText: string): string {
  const from = Math.max(1, first - AROUND);
  const to = first + Math.min(MOST_SHOWN, newText.replace(/\n$/, "").split("\n").length - 1) + AROUND;
  const shown = (line: string): string => line.replace(/\r$/, "").slice(0, 300).toWellFormed();
  return text
    .replace(/\n$/, "")
    .split("\n")
    .slice(from - 1, to)
    .map((line, at) => `${String(from + at).padStart(6)}\t${shown(line)}`)
    .join("\n");
}
