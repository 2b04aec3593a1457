import type { ToolSession } from "../../../core/index.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { SeenFiles } from "./seen-files.ts";

/** What the tools for files share. */
export interface FileTools {
  readonly platform: string;
  readonly seen: SeenFiles;
  /** Characters of a result. */
  readonly limit: number;
}

export function workspaceOf(session: ToolSession, { platform }: FileTools): Workspace {
  return openWorkspace(session, platform);
}
