import { type ChildProcess, spawn } from "node:child_process";

interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of a test, run by the Node that runs the test. */
export interface Program {
  readonly process: ChildProcess;
  readonly end: Promise<ProgramEnd>;
}

/** @param onLine - called for each whole line on stdout, as it comes */
export function runProgram(file: string, args: readonly string[], onLine?: (line: string) => void): Program {
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine?.(line);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  child.on("error", reject);
  child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  return { process: child, end: promise };
}
