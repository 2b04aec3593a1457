import type { ToolProgress, ToolResult } from "../../core/tool.ts";

/** A run that is over too quickly to report on. */
// oxlint-disable-next-line require-yield -- the port is a generator, and there is nothing to yield
export async function* atOnce(
  work: () => Promise<ToolResult>,
): AsyncGenerator<ToolProgress, ToolResult, void> {
  return await work();
}
