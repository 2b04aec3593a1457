import { fstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Io } from "./io.ts";

/** The kinds of what stdin may be: `pipe` stands for sockets too, `none` for `/dev/null`, a closed one and the like. */
type StdinKind = "terminal" | "file" | "pipe" | "none";

/** Milliseconds that a pipe of which nobody is known to write gets for its first byte. */
const FIRST_BYTE_MS = 1000;
/** The same where it cannot be seen who writes. */
const UNSEEN_FIRST_BYTE_MS = 3000;

/** The input that came with a prompt, and whether it was given up because nothing came. */
export interface PipedInput {
  readonly text: string;
  readonly gaveUp: boolean;
}

/**
 * Reads what is piped in beside a prompt. A file is read to its end, and so is a pipe from which something comes. A pipe
 * that stays silent is waited for while a program of this pipeline holds its other end; else it is one that was
 * inherited and never closes, as in build servers, and is given up. Terminals are not read.
 */
export async function readPiped(io: Pick<Io, "stdin" | "pid">): Promise<PipedInput> {
  const kind = stdinKind(io);
  if (kind === "terminal" || kind === "none") return { text: "", gaveUp: false };
  const pieces: Buffer[] = [];
  const ended = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  io.stdin.on("data", (piece: Buffer | string) => {
    pieces.push(Buffer.from(piece));
    first.resolve();
  });
  io.stdin.once("end", ended.resolve).once("error", ended.resolve).once("close", ended.resolve);
  if (kind === "pipe" && !(await comesSoon(Promise.race([first.promise, ended.promise]), io.pid))) {
    io.stdin.destroy();
    return { text: "", gaveUp: true };
  }
  await ended.promise;
  return { text: Buffer.concat(pieces).toString("utf8"), gaveUp: false };
}

/** Whether something comes, or a program of this pipeline may still write it. */
async function comesSoon(come: Promise<void>, pid: number): Promise<boolean> {
  const other = otherEnd();
  const waited = Promise.withResolvers<boolean>();
  const wait = setTimeout(
    () => waited.resolve(false),
    other === undefined ? UNSEEN_FIRST_BYTE_MS : FIRST_BYTE_MS,
  );
  const came = await Promise.race([come.then(() => true), waited.promise]);
  clearTimeout(wait);
  return came || (other !== undefined && isWrittenInSession(other, pid));
}

function stdinKind({ stdin }: Pick<Io, "stdin">): StdinKind {
  if (stdin.isTTY === true) return "terminal";
  try {
    const stat = fstatSync(0);
    if (stat.isFile()) return "file";
    return stat.isFIFO() || stat.isSocket() ? "pipe" : "none";
  } catch {
    // It is closed.
    return "none";
  }
}

/** The name of stdin's pipe, as all processes see it; `undefined` where the system does not tell. */
function otherEnd(): string | undefined {
  try {
    return readlinkSync("/proc/self/fd/0");
  } catch {
    return undefined;
  }
}

/** The facts that `/proc` tells of a process. */
interface Kin {
  readonly parent: number;
  readonly session: number;
}

/**
 * Whether a process of the same session can write to a pipe. Those that started this one are left out: a build server or a
 * shell that holds the pipe by chance never closes it.
 */
function isWrittenInSession(pipe: string, pid: number): boolean {
  const own = kinOf(pid);
  if (own === undefined) return false;
  const above = new Set([pid]);
  for (let next = own.parent; next > 0 && !above.has(next); next = kinOf(next)?.parent ?? 0) above.add(next);
  return readdirSync("/proc").some((name) => {
    const other = Number(name);
    if (!Number.isInteger(other) || above.has(other) || kinOf(other)?.session !== own.session) return false;
    return isOpenForWriting(other, pipe);
  });
}

/** The name of a program may hold spaces and brackets; what follows the last bracket is state, parent, group, session. */
function kinOf(pid: number): Kin | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, parent = "", , session = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(parent), session: Number(session) };
  } catch {
    // It has ended, or is somebody else's.
    return undefined;
  }
}

function isOpenForWriting(pid: number, pipe: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      if (readlinkSync(`/proc/${pid}/fd/${fd}`) !== pipe) return false;
      const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8"))?.[1] ?? "0";
      return (Number.parseInt(flags, 8) & 3) !== 0;
    });
  } catch {
    return false;
  }
}
