import type { Spawner, SpawnRequest } from "../../../src/providers/tools/spawn/spawner.ts";

const never = new AbortController().signal;

/** Starts a script of bash, and gathers what both its outputs say. */
export async function startBash(
  spawner: Spawner,
  script: string,
  request: Partial<SpawnRequest> & Pick<SpawnRequest, "cwd">,
): Promise<{ readonly child: Awaited<ReturnType<Spawner["spawn"]>>; readonly text: () => string }> {
  let text = "";
  const child = await spawner.spawn({
    file: "bash",
    args: ["-c", script],
    label: "bash",
    session: "s1",
    signal: never,
    output: (chunk) => void (text += Buffer.from(chunk).toString()),
    ...request,
  });
  return { child, text: () => text };
}
