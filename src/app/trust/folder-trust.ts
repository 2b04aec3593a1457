import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";
import { underHomeLock } from "../config/home-lock.ts";
import { readText } from "../config/read-text.ts";

const FILE = "trusted-folders.json";
const FILE_MODE = 0o600;

const TrustFile = z.object({
  folders: z.array(z.object({ path: z.string(), trusted: z.boolean(), decidedAt: z.number() })),
});

/** A person's decision about a folder; its path is real, without links. Unix milliseconds. */
export type TrustDecision = z.output<typeof TrustFile>["folders"][number];

/** The decisions of a home's owner about folders: whether their files may speak to the agent. */
export class FolderTrust {
  readonly #path: string;
  #stamp = -1;
  #known: readonly TrustDecision[] = [];

  constructor(home: string) {
    this.#path = join(home, FILE);
  }

  /** The decisions, by path. @throws HostError `config_invalid` when the file cannot be read */
  list(): readonly TrustDecision[] {
    const stamp = statSync(this.#path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (stamp !== this.#stamp) {
      this.#known = readDecisions(this.#path);
      this.#stamp = stamp;
    }
    return this.#known;
  }

  /**
   * The decision that holds for a folder: that about it, or about the nearest folder above. Links are followed first, so that
   * one that leads elsewhere by now brings no trust along.
   */
  decisionAbout(folder: string): TrustDecision | undefined {
    const known = new Map(this.list().map((each) => [each.path, each]));
    if (known.size === 0) return undefined;
    const real = realPath(folder);
    if (real === undefined) return undefined;
    for (let at = real; ; at = dirname(at)) {
      const found = known.get(at);
      if (found !== undefined || dirname(at) === at) return found;
    }
  }

  /**
   * Keeps a decision; gives the real path that it is about.
   *
   * @throws HostError `not_found` when there is no such folder, `config_invalid`
   */
  async decide(
    folder: string,
    { trusted, now }: { readonly trusted: boolean; readonly now: number },
  ): Promise<string> {
    const path = realPath(folder);
    if (path === undefined || !statSync(path).isDirectory())
      throw new HostError("not_found", `There is no folder ${folder}.`);
    await this.#change((all) => [
      ...all.filter((each) => each.path !== path),
      { path, trusted, decidedAt: now },
    ]);
    return path;
  }

  /** Forgets a decision; the folder is asked about again. @throws HostError `not_found` when there is none */
  async forget(folder: string): Promise<string> {
    const path = realPath(folder) ?? folder;
    if (!this.list().some((each) => each.path === path))
      throw new HostError("not_found", `There is no decision about ${path}. \`agent trust list\` shows all.`);
    await this.#change((all) => all.filter((each) => each.path !== path));
    return path;
  }

  /** By the file as it is now: other processes change it too. */
  #change(change: (all: readonly TrustDecision[]) => readonly TrustDecision[]): Promise<void> {
    return underHomeLock(this.#path, () => {
      const folders = change(readDecisions(this.#path)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
      replaceFile(this.#path, `${JSON.stringify({ folders }, null, 2)}\n`, FILE_MODE);
      this.#stamp = -1;
    });
  }
}

function readDecisions(path: string): readonly TrustDecision[] {
  const text = readText(path);
  if (text === undefined) return [];
  try {
    return TrustFile.parse(JSON.parse(text)).folders;
  } catch (cause) {
    throw new HostError(
      "config_invalid",
      `${path} cannot be read. Remove it: folders are then asked about again.`,
      {
        cause,
      },
    );
  }
}

function realPath(folder: string): string | undefined {
  try {
    return realpathSync.native(folder);
  } catch {
    // What is not there can be trusted with nothing.
    return undefined;
  }
}
