import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { rgPath } from "@vscode/ripgrep";
import { type CommandPlace, unaskedLine } from "../../../../src/providers/tools/command-policy/unasked.ts";
import { scratch, type Scratch } from "../scratch.ts";

/** A scratch tree with a workspace `in`, a neighbour `out` and a place for temporary files. */
export interface UnaskedStage extends AsyncDisposable {
  readonly dir: Scratch;
  /** The line that would run, or `undefined` when it is asked about. */
  line(command: string, place?: Partial<CommandPlace>): Promise<string | undefined>;
  /** Runs a line as the host would; `undefined` when it is asked about. */
  run(
    command: string,
    place?: Partial<CommandPlace>,
  ): Promise<{ readonly code: number; readonly output: string } | undefined>;
}

export async function unaskedStage(files: Readonly<Record<string, string>>): Promise<UnaskedStage> {
  const dir = await scratch();
  await dir.write({ "tmp/.keep": "", ...files });
  const place = (more: Partial<CommandPlace> = {}): CommandPlace => ({
    cwd: dir.at("in"),
    roots: [dir.at("in")],
    platform: "linux",
    home: dir.at("home"),
    apart: [],
    path: `/usr/bin:/bin:${dirname(rgPath)}`,
    tempDir: dir.at("tmp"),
    ...more,
  });
  return {
    dir,
    async line(command, more) {
      await using unasked = await unaskedLine(command, place(more));
      return unasked?.line;
    },
    async run(command, more) {
      await using unasked = await unaskedLine(command, place(more));
      if (unasked === undefined) return undefined;
      const { shell, line, cwd, env } = unasked;
      const child = spawn(shell, ["-c", line], {
        cwd,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const ended = once(child, "close");
      const output = await Promise.all([text(child.stdout), text(child.stderr)]);
      const [code] = (await ended) as [number | null];
      return { code: code ?? 1, output: output.join("") };
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

/** Makes a git repository in a folder, with one commit and one change. */
export async function repository(path: string): Promise<void> {
  const git = (...args: string[]) =>
    promisify(execFile)("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: path });
  await git("init", "-q", "-b", "main");
  await git("add", "-A");
  await git("commit", "-qm", "first");
}
