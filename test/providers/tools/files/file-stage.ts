import { memoryFolder } from "../../../kit/memory-folder.ts";
import { type ToolStage, toolStage, type ToolRun } from "../../../kit/tool-context.ts";
import type { AnyTool, Permit } from "../../../../src/core/ports/tool.ts";
import { editFileTool } from "../../../../src/providers/tools/files/edit-file.ts";
import { listFilesTool } from "../../../../src/providers/tools/files/list-files.ts";
import { ownSearcher } from "../../../../src/providers/tools/files/own-search.ts";
import { readFileTool } from "../../../../src/providers/tools/files/read-file.ts";
import { searchFilesTool } from "../../../../src/providers/tools/files/search-files.ts";
import { SeenFiles } from "../../../../src/providers/tools/files/seen-files.ts";
import type { Searcher } from "../../../../src/providers/tools/files/search.ts";
import { writeFileTool } from "../../../../src/providers/tools/files/write-file.ts";
import { scratch, type Scratch } from "../scratch.ts";

export interface FileStage extends AsyncDisposable {
  readonly dir: Scratch;
  readonly stage: ToolStage;
  tool(name: string): AnyTool;
  call(name: string, input: unknown): Promise<ToolRun>;
  permit(name: string, input: unknown): Promise<Permit | undefined>;
}

/** The tools for files on a workspace `in`, beside which there is room for what they may not touch. */
export async function fileStage(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: {
    readonly limit?: number;
    readonly searcher?: () => Promise<Searcher>;
    readonly home?: (dir: Scratch) => string;
  } = {},
): Promise<FileStage> {
  const dir = await scratch(memoryFolder());
  await dir.write({
    "in/.keep": "",
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`in/${name}`, text])),
  });
  const { limit = 28_000, searcher = () => Promise.resolve(ownSearcher) } = options;
  const home = options.home?.(dir) ?? "/home/me";
  const tools = { platform: "linux", seen: new SeenFiles(), limit, searcher, apart: [], home };
  const all = [readFileTool, writeFileTool, editFileTool, listFilesTool].map((make) => make(tools));
  const table = new Map([...all, searchFilesTool(tools)].map((tool): [string, AnyTool] => [tool.name, tool]));
  const stage = toolStage({ cwd: dir.at("in") });
  const named = (name: string): AnyTool => {
    const tool = table.get(name);
    if (tool === undefined) throw new Error(`There is no tool ${name}`);
    return tool;
  };
  return {
    dir,
    stage,
    tool: named,
    call: (name, input) => stage.run(named(name), input),
    permit: (name, input) => stage.permit(named(name), input),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
