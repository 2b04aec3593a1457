import { HostError } from "../../../shared/errors/host-error.ts";
import type { PathScope } from "./roots.ts";
import { openWorkspace } from "./workspace.ts";

/**
 * Puts a file into a workspace, whole or not at all; gives its bytes' number. One that is there already stays as it is, and
 * `get` is not called.
 *
 * @throws HostError `outside_workspace`, `not_found`, `tool_failed`; what `get` throws
 */
export async function keepInside(
  path: string,
  reach: PathScope,
  { platform, get }: { readonly platform: string; readonly get: () => Promise<Uint8Array> },
): Promise<number> {
  const workspace = openWorkspace(reach, platform);
  try {
    await using file = await workspace.openFile(path);
    return Number(file.stat.size);
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.code !== "not_found") throw thrown;
  }
  const bytes = await get();
  await workspace.replaceFile(path, bytes);
  return bytes.length;
}
