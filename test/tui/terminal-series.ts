import { type IPty, spawn } from "@lydell/node-pty";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM = join(import.meta.dirname, "programs/terminal-series.mjs");
/** What stands in the output behind the last of a call, with its exit code. */
const MARK = "\u001b]7331;";
// Finding control sequences is what this is for.
// oxlint-disable-next-line no-control-regex
const END = /\u001b\]7331;(\d+)\u0007/;
/** Milliseconds that a call may take to end before its process is killed. */
const PATIENCE_MS = 5_000;

/** A call of the command: where, and with what environment. */
export interface TerminalCall {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A program at the other end of a terminal's line. */
export type TerminalLine = Pick<
  IPty,
  "pid" | "write" | "onData" | "onExit" | "resize" | "pause" | "resume" | "kill"
> & {
  /** Ends the program, however far it is. */
  end(): void;
};

interface SeriesProcess {
  readonly pty: IPty;
  readonly control: Promise<Socket>;
}

const idle: SeriesProcess[] = [];

/**
 * Runs a command on a terminal in a process that ran another one before: to start one takes ten times the work of what many
 * tests do on it. For tests that are about something else than the start and the end of a process.
 */
export function inSeries(
  call: TerminalCall,
  { cols, rows }: { readonly cols: number; readonly rows: number },
): TerminalLine {
  const series = idle.pop() ?? begin();
  const { pty, control } = series;
  const tell = (message: object): void =>
    void control.then((socket) => socket.write(`${JSON.stringify(message)}\n`));
  const { promise: over, resolve } = Promise.withResolvers<{ readonly exitCode: number }>();
  let heard: ((data: string) => void) | undefined;
  let rest = "";
  const data = pty.onData((text) => {
    rest += text;
    const end = END.exec(rest);
    // The mark may come in two parts.
    const whole = end?.index ?? (rest.includes(MARK) ? rest.indexOf(MARK) : beforeMark(rest));
    if (whole > 0) heard?.(rest.slice(0, whole));
    rest = rest.slice(whole);
    if (end === null) return;
    release();
    pty.resume();
    idle.push(series);
    resolve({ exitCode: Number(end[1]) });
  });
  const exit = pty.onExit(({ exitCode }) => {
    release();
    resolve({ exitCode });
  });
  let slow: NodeJS.Timeout | undefined;
  function release(): void {
    clearTimeout(slow);
    data.dispose();
    exit.dispose();
  }
  pty.resize(cols, rows);
  tell({ call: { ...call, mark: MARK } });
  return {
    pid: pty.pid,
    write: (text) => pty.write(text),
    onData: (listener) => {
      heard = listener;
      return { dispose: () => (heard = undefined) };
    },
    onExit: (listener) => {
      void over.then(listener);
      return { dispose: () => undefined };
    },
    resize: (columns, height) => pty.resize(columns, height),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    kill: (signal) => pty.kill(signal),
    end: () => {
      pty.resume();
      tell({});
      slow = setTimeout(() => pty.kill("SIGKILL"), PATIENCE_MS);
    },
  };
}

/** Where what may be the mark's beginning stands at the end of a text. */
function beforeMark(text: string): number {
  for (let length = Math.min(MARK.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(MARK.slice(0, length))) return text.length - length;
  return text.length;
}

function begin(): SeriesProcess {
  const folder = mkdtempSync(join(tmpdir(), "agent-series-"));
  const path = join(folder, "control");
  const server = createServer().listen(path);
  server.unref();
  const { PATH = "" } = process.env;
  const pty = spawn(process.execPath, [PROGRAM, path], {
    env: { PATH, TERM: "xterm-256color", LANG: "C.UTF-8" },
  });
  const control = once(server, "connection").then(([socket]: readonly Socket[]) => {
    rmSync(folder, { recursive: true, force: true });
    server.close();
    if (socket === undefined) throw new Error("A connection is a socket.");
    return socket.on("error", () => undefined).unref();
  });
  return { pty, control };
}
