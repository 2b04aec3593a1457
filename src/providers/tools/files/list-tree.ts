import { openWorkspace } from "../workspace/workspace.ts";
import { walkTree } from "./walk-tree.ts";

/** Folders inside folders that are looked into. */
const DEEPEST = 32;

/**
 * Paths below a folder, relative to it, folders with a slash at the end; without what git ignores.
 *
 * @throws HostError when the folder cannot be read
 */
export async function listTree(
  folder: string,
  {
    platform,
    most,
    signal,
  }: { readonly platform: string; readonly most: number; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const workspace = openWorkspace({ cwd: folder, roots: [folder] }, platform);
  await using directory = await workspace.openDirectory(".");
  const paths: string[] = [];
  for await (const { names, kind } of walkTree(workspace, directory, { depth: DEEPEST, signal })) {
    if (paths.length >= most) break;
    paths.push(`${names.join("/")}${kind === "directory" ? "/" : ""}`);
  }
  return paths;
}
