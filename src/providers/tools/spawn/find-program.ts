import { existsSync } from "node:fs";
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
    // Most directories do not have it: a rejection for each costs more than the look.
    if (!existsSync(candidate)) continue;
    try {
      await access(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not for us: the next one.
    }
  }
  return undefined;
}
