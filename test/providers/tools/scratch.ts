import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A directory of its own for one test, gone at its end. */
export interface Scratch extends AsyncDisposable {
  readonly path: string;
  at(...names: string[]): string;
  /** Writes files with the directories that they need. */
  write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
}

/** Makes one. @param parent - the folder that it lies in; a test that makes many files takes `memoryFolder()` */
export async function scratch(parent = tmpdir()): Promise<Scratch> {
  const path = await realpath(await mkdtemp(join(parent, "tools-")));
  return {
    path,
    at: (...names) => join(path, ...names),
    async write(files) {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(path, name)), { recursive: true });
        await writeFile(join(path, name), content);
      }
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
