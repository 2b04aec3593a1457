import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AddedDocument, Kb } from "../../providers/kb/index.ts";
import { kbFolder } from "../../providers/kb/mark.ts";
import { KeyedSemaphore } from "../../shared/async/keyed-semaphore.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { visibleInLine } from "../../shared/text/visible.ts";

/** A file on its way to the knowledge base. */
interface Upload {
  /** As the browser calls it; only its last part counts. */
  readonly name: string;
  readonly collection: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Files that are in memory at a time; the others wait on the disk. */
const AT_ONCE = 2;
const LEFT_BEHIND_MS = 24 * 3_600_000;

/** Files that people send to the knowledge base: written to the disk as they arrive, then read. */
export class Uploads {
  readonly #home: string;
  readonly #places = new KeyedSemaphore(() => AT_ONCE);
  #folder: Promise<string> | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  /** @throws HostError `invalid_params` for one without a name, `interrupted` when `signal` aborts; what `body` throws */
  async take(
    { name: given, collection, body }: Upload,
    kb: Kb,
    signal: AbortSignal,
  ): Promise<AddedDocument & { readonly name: string }> {
    const name = lastPart(given);
    const file = join(await this.#incoming(), randomUUID());
    try {
      await save(body, file);
      const leave = await this.#places.enter("", signal);
      try {
        const bytes = await readFile(file);
        return { name, ...(await kb.add({ collection, name, origin: `upload:${name}`, bytes }, signal)) };
      } finally {
        leave();
      }
    } finally {
      await rm(file, { force: true });
    }
  }

  /** The folder of files that arrive. What kept it from being made is looked at again with the next file. */
  #incoming(): Promise<string> {
    this.#folder ??= emptied(join(kbFolder(this.#home), "incoming")).catch((thrown: unknown) => {
      this.#folder = undefined;
      throw thrown;
    });
    return this.#folder;
  }
}

async function save(body: Upload["body"], file: string): Promise<void> {
  await using handle = await open(file, "wx", 0o600);
  for await (const part of body) await handle.write(part);
}

/** The folder, without what a process that was killed has left in it. */
async function emptied(folder: string): Promise<string> {
  makeFolder(folder);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > LEFT_BEHIND_MS) await rm(path, { force: true });
  }
  return folder;
}

/** Whatever folders a browser names, it is a label here and no path. */
function lastPart(given: string): string {
  const name = visibleInLine(given.split(/[/\\]/).at(-1)?.trim() ?? "");
  if (name !== "" && name !== "." && name !== "..") return name;
  throw new HostError("invalid_params", "The file has no name. Send it with `name` in the address.");
}
