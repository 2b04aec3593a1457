import { findProgram } from "../spawn/find-program.ts";

/**
 * Finds ripgrep: the one that came with the package, else one that is installed.
 *
 * @param path - directories as in the variable PATH
 */
export async function findRipgrep(path: string | undefined): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    // An optional package, and not there for every platform.
    return await findProgram("rg", path);
  }
}
