import { z } from "zod";
import { type AnyTool, type ToolContext, defineTool, textPart } from "../../../core/index.ts";
import { applyChange, locationOf, permitChange } from "./change.ts";
import { workspaceOf, type FileTools } from "./file-tools.ts";
import type { Change } from "./save.ts";
import { isCrlf, readForChange, toCrlf } from "./text-content.ts";

const input = z.object({
  path: z.string().describe("The file, relative to the working directory or absolute"),
  content: z.string().describe("The whole new content"),
});

type Input = z.output<typeof input>;

export function writeFileTool(tools: FileTools): AnyTool {
  return defineTool({
    name: "write_file",
    toolset: "files",
    description:
      "Writes a whole file, with the directories that are missing. An existing file is replaced; to change a part of one, use edit_file.",
    kind: "edit",
    effect: "idempotent",
    changes: "locations",
    input,
    label: ({ path }) => `Write ${path}`,
    locations: ({ path }, session) => [{ path: workspaceOf(session, tools).locate(path) }],
    permit: async (request, context) =>
      permitChange(await plan(request, context, tools), "write", { context, tools }),
    run: async (request, context) => {
      const change = await plan(request, context, tools);
      const content = await applyChange(change, { context, tools });
      const lines = change.newText.split("\n").length - (change.newText.endsWith("\n") ? 1 : 0);
      const done = `${change.before === null ? "Created" : "Replaced"} ${request.path} (${lines} line${lines === 1 ? "" : "s"}).`;
      const kept = change.newText === request.content ? "" : " Its lines still end in CR LF.";
      return {
        outcome: "ok",
        content: [textPart(done + kept), ...content],
        summary: `${lines} line${lines === 1 ? "" : "s"}`,
        locations: [locationOf(change, context, tools)],
      };
    },
  });
}

async function plan({ path, content }: Input, context: ToolContext, tools: FileTools): Promise<Change> {
  const workspace = workspaceOf(context.session, tools);
  const found = await readForChange(workspace, path, context);
  if (found === undefined) {
    const realPath = await workspace.realPath(path);
    return { path, realPath, before: null, oldText: null, newText: content, hasBom: false, line: 1 };
  }
  const old = found.content;
  // A model writes LF; that is no wish to change the line ends of the whole file.
  const keepsCrlf = old !== undefined && isCrlf(old.text) && !content.includes("\r");
  const newText = keepsCrlf ? toCrlf(content) : content;
  return {
    path,
    realPath: found.path,
    before: found.mark,
    oldText: old?.text,
    newText,
    hasBom: old?.hasBom ?? false,
    line: firstDifference(old?.text ?? "", newText),
  };
}

function firstDifference(before: string, after: string): number {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const at = b.findIndex((line, i) => line !== a[i]);
  return at < 0 ? Math.max(1, b.length) : at + 1;
}
