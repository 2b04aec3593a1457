import { writeSync } from "node:fs";
import type { Io } from "../io.ts";

/** Shows the cursor, ends pastes, reports, keyboard protocol and synchronised frames, brings the title back, takes colours away. */
const SANE = "\u001b[?2026l\u001b[?2004l\u001b[?1004l\u001b[<u\u001b[23;2t\u001b[?25h\u001b[0m";

/**
 * Gives the terminal back when the process ends in a way that nobody has planned, as by an error in the client itself.
 *
 * @returns ends the guard: the terminal was given back in order
 */
export function guardTerminal(io: Io): () => void {
  return io.onExit(() => {
    io.stdin.setRawMode?.(false);
    try {
      writeSync(1, `${SANE}\r\n`);
    } catch {
      // The terminal is gone, and with it what would have to be put right.
    }
  });
}
