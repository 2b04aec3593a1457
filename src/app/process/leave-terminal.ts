import { closeSync, openSync } from "node:fs";

/** Signals by which a terminal, or who works on it, would stop or end a process that has left it. */
const OF_TERMINALS = ["SIGHUP", "SIGTTIN", "SIGTTOU"] as const;
/** A launcher that gets this ends, and the shell that waits for it has its terminal back. */
const LET_GO = "SIGUSR2";

/**
 * Gives up the process's terminal: its signals end nothing any more, what is written goes nowhere, nothing is read. The
 * window can be closed, and the shell that waited for this process has its terminal back, if a launcher stands between
 * them.
 */
export function leaveTerminal(): void {
  for (const signal of OF_TERMINALS) process.on(signal, () => undefined);
  const { stdin } = process;
  stdin.removeAllListeners();
  stdin.on("error", () => undefined);
  stdin.setRawMode?.(false);
  stdin.destroy();
  for (const stream of [process.stdout, process.stderr]) silence(stream);
  // While the place of each is free, the next file that is opened gets it: nothing keeps the terminal open, and the end of
  // this process changes none of its modes.
  for (const place of [0, 1, 2]) replaceByNothing(place);
  releaseLauncher();
}

function silence(stream: NodeJS.WriteStream): void {
  stream.removeAllListeners("error");
  stream.on("error", () => undefined);
  stream.write = (_chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const done = rest.find((argument) => typeof argument === "function");
    if (done !== undefined) queueMicrotask(() => void done());
    return true;
  };
  // Node never closes its standard streams, and has no public way to.
  const { _handle: handle } = stream as { _handle?: { close?: () => void } };
  handle?.close?.();
}

function replaceByNothing(place: number): void {
  try {
    closeSync(place);
    openSync("/dev/null", "r+");
  } catch {
    // It was closed already.
  }
}

function releaseLauncher(): void {
  const { ppid, env } = process;
  // Another program may have handed the variable on.
  if (env["AGENT_LAUNCHER_PID"] !== String(ppid)) return;
  try {
    process.kill(ppid, LET_GO);
  } catch {
    // It is gone, and nobody waits.
  }
}
