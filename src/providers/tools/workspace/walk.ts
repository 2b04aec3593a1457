import { mkdir, readlink } from "node:fs/promises";
import { resolve } from "node:path";
import { HostError, toolFailed } from "../../../shared/errors/host-error.ts";
import type { Apart } from "./apart.ts";
import { below, type DirectoryAccess, type HeldDirectory, type EntryHandle } from "./directory-access.ts";
import { notFound } from "./file-error.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { findPlace, namesOf, type Place, type PathScope } from "./roots.ts";

/** As many links as Linux itself follows in one path. */
const MOST_LINKS = 40;

/** The end of a walk: an entry of a held directory, or (with an empty name) the directory itself. */
export interface Reached<Found extends EntryHandle> {
  readonly directory: HeldDirectory;
  readonly name: string;
  /** Absent when there is no such entry, or no name. Never a symbolic link. */
  readonly look: Found | undefined;
  readonly path: string;
}

/** A path to walk. */
export interface WalkRequest {
  readonly absolute: string;
  /** The path for errors, as it stood in the call. */
  readonly written: string;
  /** Make directories that are missing on the way. */
  readonly create: boolean;
  readonly apart: Apart;
}

/**
 * Goes from a root to a path one component at a time. Links are read and followed here, never by the system, so that
 * whatever another process does to the names meanwhile, nothing outside the roots is reached. The caller closes the
 * directory and the look.
 */
export async function walk<Found extends EntryHandle>(
  access: DirectoryAccess<Found>,
  reach: PathScope,
  request: WalkRequest,
): Promise<Reached<Found>> {
  const walker = new Walker(access, reach, request);
  try {
    return await walker.run();
  } catch (error) {
    await walker.close();
    throw error;
  }
}

class Walker<Found extends EntryHandle> {
  readonly #access: DirectoryAccess<Found>;
  readonly #reach: PathScope;
  readonly #request: WalkRequest;
  #directory: HeldDirectory | undefined;
  /** Names from the root to the directory; none of them a link. */
  #done: string[] = [];
  #pending: string[] = [];
  #root = "";
  #links = 0;

  constructor(access: DirectoryAccess<Found>, reach: PathScope, request: WalkRequest) {
    this.#access = access;
    this.#reach = reach;
    this.#request = request;
  }

  async run(): Promise<Reached<Found>> {
    const { absolute, apart, written } = this.#request;
    let here = await this.#restart(await this.#place(absolute));
    for (;;) {
      const name = this.#pending.shift();
      if (name === undefined) return { directory: here, name: "", look: undefined, path: here.path };
      if (name === "..") {
        here = await this.#up(here);
        continue;
      }
      const look = await this.#look(here, name);
      if (look?.kind === "symlink") {
        await look.close();
        here = await this.#follow(here, name);
        continue;
      }
      try {
        await apart.check({ path: below(here, name), stat: look?.stat }, written);
      } catch (error) {
        await look?.close();
        throw error;
      }
      if (this.#pending.length === 0) return { directory: here, name, look, path: below(here, name) };
      here = await this.#enter(here, name, look);
    }
  }

  async close(): Promise<void> {
    await this.#directory?.close();
    this.#directory = undefined;
  }

  #place(absolute: string): Promise<Place> {
    return findPlace(absolute, this.#reach, this.#request.written);
  }

  async #restart({ root, names }: Place): Promise<HeldDirectory> {
    await this.close();
    try {
      this.#directory = await this.#access.root(root);
    } catch (error) {
      throw new HostError("not_found", `The workspace ${root} cannot be opened`, { cause: error });
    }
    await this.#request.apart.check({ path: this.#directory.path }, this.#request.written);
    this.#root = root;
    this.#done = [];
    this.#pending = [...names];
    return this.#directory;
  }

  async #look(here: HeldDirectory, name: string): Promise<Found | undefined> {
    const found = await this.#access.look(here, name);
    if (found !== undefined || !this.#request.create || this.#pending.length === 0) return found;
    await mkdir(`${here.reference}/${name}`).catch((error: unknown) => {
      // Somebody else was faster; what they made is looked at like anything else.
      if (systemErrorCode(error) !== "EEXIST") throw error;
    });
    await here.confirm();
    return await this.#access.look(here, name);
  }

  async #enter(here: HeldDirectory, name: string, look: Found | undefined): Promise<HeldDirectory> {
    if (look?.kind !== "directory") {
      await look?.close();
      const { written } = this.#request;
      throw look === undefined
        ? notFound(written, `there is no directory ${name}`)
        : toolFailed(`Cannot use ${written}: ${name} is not a directory`);
    }
    const next = this.#access.enter(here, name, look);
    this.#directory = next;
    this.#done.push(name);
    await here.close();
    return next;
  }

  /** `..` after a link means the parent of where the link led. */
  async #up(here: HeldDirectory): Promise<HeldDirectory> {
    if (this.#done.length > 0) {
      return await this.#restart({ root: this.#root, names: [...this.#done.slice(0, -1), ...this.#pending] });
    }
    return await this.#restart(await this.#place(resolve(here.path, "..", ...this.#pending)));
  }

  async #follow(here: HeldDirectory, name: string): Promise<HeldDirectory> {
    this.#links += 1;
    if (this.#links > MOST_LINKS) {
      throw toolFailed(`Cannot use ${this.#request.written}: too many symbolic links`);
    }
    const target = await readlink(`${here.reference}/${name}`).catch(changedMeanwhile);
    if (target === undefined) {
      this.#pending.unshift(name);
      return here;
    }
    if (target.startsWith("/")) {
      const rest = this.#pending;
      const place = await this.#place(target);
      return await this.#restart({ root: place.root, names: [...place.names, ...rest] });
    }
    return await this.#restart({
      root: this.#root,
      names: [...this.#done, ...namesOf(target), ...this.#pending],
    });
  }
}

/** The link is one no more: it has to be looked at again. */
function changedMeanwhile(error: unknown): undefined {
  const code = systemErrorCode(error);
  if (code !== "EINVAL" && code !== "ENOENT") throw error;
  return undefined;
}
