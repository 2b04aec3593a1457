import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Io } from "../../app/process/io.ts";
import { onSignals } from "../../app/process/signals.ts";

/**
 * Lets the person edit a text in the program that $VISUAL or $EDITOR names, `vi` when neither does. Ctrl+C and Ctrl+\
 * are for that program meanwhile, not for this process.
 *
 * @returns the text, `undefined` when the program failed
 * @throws Error when it cannot be started
 */
export async function editOutside(
  text: string,
  io: Pick<Io, "env" | "onSignal">,
): Promise<string | undefined> {
  const { env } = io;
  const folder = await mkdtemp(join(tmpdir(), "agent-draft-"));
  const file = join(folder, "prompt.md");
  // The terminal sends them to all that it has in front. A program inherits ignored signals, but no handlers.
  const signals = onSignals(io, ["SIGINT", "SIGQUIT"], () => undefined);
  try {
    await writeFile(file, text, { mode: 0o600 });
    const program = env["VISUAL"] ?? env["EDITOR"] ?? "vi";
    // The variable is a line for the shell: it may have arguments. The shell waits for an editor that lives on after Ctrl+C.
    const line = `trap : INT QUIT; ${program} "$1"`;
    const child = spawn("sh", ["-c", line, "sh", file], { stdio: "inherit", env });
    const [code] = await once(child, "exit");
    return code === 0 ? await readFile(file, "utf8") : undefined;
  } finally {
    signals[Symbol.dispose]();
    await rm(folder, { recursive: true, force: true });
  }
}
