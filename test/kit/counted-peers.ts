import type { Peers } from "../../src/core/index.ts";

/** Other hosts whose answers are counted. */
export interface CountedPeers extends Peers {
  /** Readings that they answered, so that no store was asked. */
  readonly near: () => number;
}

/** Counts what links to other hosts answer. */
export function countedPeers(links: Peers): CountedPeers {
  let near = 0;
  return {
    read(session, after) {
      const known = links.read(session, after);
      if (known !== undefined) near += 1;
      return known;
    },
    follow: (session, signal) => links.follow(session, signal),
    near: () => near,
  };
}
