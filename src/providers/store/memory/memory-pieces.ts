import type { PieceSink, SavedPiece, SavedPieces } from "../pieces/saved-pieces.ts";

/** How often saving fails, as it does on a full disk. */
const FAILURES = 0.05;

/** Pieces beside a database in memory, which the stores of a home share as processes share a folder. */
export class MemoryPieces {
  readonly #hosts = new Map<string, Map<number, SavedPiece[]>>();
  readonly #sealed = new Set<string>();

  readonly saved: SavedPieces = {
    of: (host, fence) => [...(this.#hosts.get(host)?.get(fence) ?? [])],
    lastOf: (host, fence) => this.#hosts.get(host)?.get(fence)?.at(-1)?.cursor ?? 0,
    // Nobody polls memory: `changed` tells of it.
    changesOf: () => 0,
    seal: (host) => void this.#sealed.add(host),
    discard: (host) => {
      this.#sealed.add(host);
      this.#hosts.delete(host);
    },
    remove: (host) => void this.#hosts.delete(host),
    // They go with the home.
    removeLeftovers: () => undefined,
  };

  /** @param changed - told of each change */
  sink(host: string, random: () => number, changed: () => void): PieceSink {
    return {
      save: (fence, pieces) => {
        if (this.#sealed.has(host) || random() < FAILURES) return false;
        const leases = this.#hosts.get(host) ?? new Map<number, SavedPiece[]>();
        this.#hosts.set(host, leases);
        leases.set(fence, [...(leases.get(fence) ?? []), ...pieces]);
        changed();
        return true;
      },
      drop: (fence) => void this.#hosts.get(host)?.delete(fence),
      clean: () => undefined,
      close: () => undefined,
    };
  }
}
