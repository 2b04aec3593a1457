import { accessSync, constants, existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/**
 * Looks for a program as the shell would.
 *
 * @param path - directories as in the variable PATH
 */
export function findProgram(name: string, path: string | undefined): string | undefined {
  for (const directory of (path ?? "").split(":").filter((entry) => isAbsolute(entry))) {
    const candidate = join(directory, name);
    // Most directories do not have it: an error for each costs more than the look.
    if (!existsSync(candidate)) continue;
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not for us: the next one.
    }
  }
  return undefined;
}
