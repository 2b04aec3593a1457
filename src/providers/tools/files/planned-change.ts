import type { ToolContext } from "../../../core/index.ts";
import type { FileMark } from "../workspace/file-mark.ts";
import type { FileTools } from "./file-tools.ts";

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
