import type { ToolSession } from "../../../core/index.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { SeenFiles } from "./seen-files.ts";

/** Settings and state that the file tools share. */
export interface FileTools {
  readonly platform: string;
  readonly seen: SeenFiles;
  /** Characters of a result. */
  readonly limit: number;
}

export function workspaceOf(session: ToolSession, { platform }: FileTools): Workspace {
  return openWorkspace(session, platform);
}
