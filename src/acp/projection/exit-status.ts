import type { ToolContent } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";

/** Reads from a command's result how it ended; a key is there when its value is known. */
export function exitStatus(content: readonly ToolContent[]): {
  readonly exitCode?: number;
  readonly signal?: string;
} {
  const exit = content.find((part) => part.type === "terminal");
  return defined({ exitCode: exit?.exitCode ?? undefined, signal: exit?.signal ?? undefined });
}
