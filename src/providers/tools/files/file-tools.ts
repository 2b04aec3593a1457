import type { ToolSession } from "../../../core/index.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { SeenFiles } from "./seen-files.ts";

/** Settings and state that the file tools share. */
export interface FileTools {
  readonly platform: string;
  readonly seen: SeenFiles;
  /** Characters of a result. */
  readonly limit: number;
  /** Absolute real paths that are never part of a workspace: the agent's home. */
  readonly apart: readonly string[];
  readonly home: string;
}

export function workspaceOf(
  { cwd, roots }: ToolSession,
  { platform, apart }: Pick<FileTools, "platform" | "apart">,
): Workspace {
  return openWorkspace({ cwd, roots, apart }, platform);
}
