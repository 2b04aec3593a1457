import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import type { Io } from "../../app/process/io.ts";

/** Shows the cursor, ends pastes, reports, keyboard protocol and synchronised frames, brings the title back, takes colours away. */
const SANE = "\u001b[?2026l\u001b[?2004l\u001b[?1004l\u001b[<u\u001b[23;2t\u001b[?25h\u001b[0m";

/**
 * Gives the terminal back when the process ends in a way that nobody has planned, as by an error in the client itself.
 *
 * @param goOn - the line that says how to go on; empty when there is nothing to go on with
 * @returns ends the guard: the terminal was given back in order
 */
export function guardTerminal(io: Io, goOn: () => string): () => void {
  return io.onExit(() => {
    // What is drawn now is below the line that says how to go on, and asks what nobody is there to hear.
    io.stdout.write = () => true;
    dropReplies();
    io.stdin.setRawMode?.(false);
    try {
      writeSync(1, `${SANE}\r\n${goOn()}`);
    } catch {
      // The terminal is gone, and with it what would have to be put right.
    }
  });
}

/** Milliseconds in which the terminal answers a request; the line about a crash waits no longer. */
const REPLY_MS = 100;
const LOOK_MS = 10;

/** Drops answers of the terminal that are still coming: they would appear on the screen or in the shell. */
function dropReplies(): void {
  try {
    const terminal = openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK);
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let waited = 0; waited < REPLY_MS; waited += LOOK_MS) {
      Atomics.wait(clock, 0, 0, LOOK_MS);
      readAll(terminal);
    }
    closeSync(terminal);
  } catch {
    // There is no such terminal: nothing can come from it.
  }
}

function readAll(terminal: number): void {
  const space = Buffer.alloc(4096);
  try {
    while (readSync(terminal, space) > 0);
  } catch {
    // Nothing is there yet.
  }
}
