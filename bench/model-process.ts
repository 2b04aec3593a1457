import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A zero-delay model server in a process of its own, so that its work is not counted. */
export interface ModelProcess extends AsyncDisposable {
  readonly baseUrl: string;
}

const FIXED = fileURLToPath(new URL("../test/kit/model-server/main.ts", import.meta.url));

/**
 * @param args - for the server, such as `--tokens 20000 --writes 1`
 * @param program - the server; the one that answers everything alike by default
 */
export async function startModelProcess(
  args: readonly string[] = [],
  program = FIXED,
): Promise<ModelProcess> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { baseUrl } = JSON.parse(line) as { baseUrl: string };
  return {
    baseUrl,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}
