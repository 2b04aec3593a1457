import type { PathScope } from "./roots.ts";
import { isSecret } from "./sensitive.ts";
import { openWorkspace } from "./workspace.ts";

/**
 * The text of a file inside the roots; `undefined` for what lies outside, is not there, is no UTF-8 text, or is larger, and for
 * a file with secrets that is only a link's target: whoever named the link did not ask for it.
 *
 * @param limit - bytes
 */
export async function readTextInside(
  path: string,
  reach: PathScope,
  { limit, platform }: { readonly limit: number; readonly platform: string },
): Promise<string | undefined> {
  try {
    await using file = await openWorkspace(reach, platform).openFile(path);
    if (file.stat.size > BigInt(limit) || (isSecret(file.path) && !isSecret(path))) return undefined;
    const bytes = await file.handle.readFile();
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    // Whoever asked can do without it, for whichever reason there is none.
    return undefined;
  }
}
