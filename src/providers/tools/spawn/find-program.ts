import { access, constants } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

/**
 * Looks for a program as the shell would.
 *
 * @param path - directories as in the variable PATH
 */
export async function findProgram(name: string, path: string | undefined): Promise<string | undefined> {
  for (const directory of (path ?? "").split(":").filter((entry) => isAbsolute(entry))) {
    const candidate = join(directory, name);
    try {
      await access(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not there, or not for us: the next one.
    }
  }
  return undefined;
}
