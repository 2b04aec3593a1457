import type { ContainerEngine } from "./engine.ts";
import { HOST_LABEL } from "./run-arguments.ts";

const PATIENCE_MS = 20_000;

/**
 * Removes the containers that a dead host left behind, should they not have ended with it. Resolves with their number.
 *
 * @throws HostError `timeout`, `tool_failed` when the engine does not answer
 */
export async function removeContainersOf(
  hostId: string,
  { commands }: Pick<ContainerEngine, "commands">,
): Promise<number> {
  const filter = `label=${HOST_LABEL}=${hostId}`;
  const { text } = await commands.run(["ps", "--all", "--quiet", "--filter", filter], PATIENCE_MS);
  const ids = text.split("\n").filter((line) => /^[\da-f]{6,64}$/.test(line));
  if (ids.length > 0) await commands.run(["rm", "--force", ...ids], PATIENCE_MS);
  return ids.length;
}
