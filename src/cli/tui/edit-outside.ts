import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Lets the person edit a text in the program that $VISUAL or $EDITOR names, `vi` when neither does.
 *
 * @returns the text, `undefined` when the program failed
 * @throws Error when it cannot be started
 */
export async function editOutside(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "agent-draft-"));
  const file = join(folder, "prompt.md");
  try {
    await writeFile(file, text, { mode: 0o600 });
    const program = env["VISUAL"] ?? env["EDITOR"] ?? "vi";
    // The variable is a line for the shell: it may have arguments.
    const child = spawn("sh", ["-c", `${program} "$1"`, "sh", file], { stdio: "inherit", env });
    const [code] = await once(child, "exit");
    return code === 0 ? await readFile(file, "utf8") : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
