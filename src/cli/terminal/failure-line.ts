import { toHostError } from "../../shared/errors/host-error.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";

/** The one line that says why a command failed. */
export function failureLine(thrown: unknown): string {
  return `agent: ${forTerminalLine(toHostError(thrown).message.trim())}\n`;
}
