import type { Host, SessionRecord } from "../../../core/index.ts";

/** Generations that are looked through; a cycle cannot be made, but a damaged store could hold one. */
const MOST = 1000;

/**
 * A finder of the first ancestor of sessions: of a branch the session that was branched first, of a subagent's session
 * the person's. An ancestor that was deleted still names its descendants' lineage.
 */
export class LineageRoots {
  readonly #host: Host;
  /** The parents that were looked up; sessions of one list share most of them. */
  readonly #parents = new Map<string, string | undefined>();

  constructor(host: Host) {
    this.#host = host;
  }

  async of({ id, state }: SessionRecord): Promise<string> {
    let root = id;
    let parent = state.parentId;
    for (let look = 0; parent !== undefined && look < MOST; look += 1) {
      root = parent;
      parent = await this.#parentOf(parent);
    }
    return root;
  }

  async #parentOf(id: string): Promise<string | undefined> {
    if (!this.#parents.has(id)) this.#parents.set(id, (await this.#host.record(id))?.state.parentId);
    return this.#parents.get(id);
  }
}
