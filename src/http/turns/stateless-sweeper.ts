import type { Host } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";

/** The session of a stateless call is kept this long after its last use. */
export const STATELESS_MS = 24 * 60 * 60_000;
/** The source of such sessions: it is how they are found again. */
export const STATELESS_SOURCE = "api_stateless";
const EVERY_MS = 10 * 60_000;
const AT_A_TIME = 100;

/** A sweeper that deletes the sessions of stateless calls that nobody uses any more. */
export class StatelessSweeper {
  readonly #host: Host;
  #cancel: () => void = () => undefined;
  #closed = false;

  constructor(host: Host) {
    this.#host = host;
    this.#later(EVERY_MS);
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  /** Looks through them once; gives the number of those that were deleted. */
  async sweep(): Promise<number> {
    const { clock } = this.#host.services;
    const activeBefore = clock.now() - STATELESS_MS;
    let deleted = 0;
    for (let offset = 0; !this.#closed;) {
      const old = await this.#host.list({
        source: STATELESS_SOURCE,
        activeBefore,
        includeHidden: true,
        includeEmpty: true,
        limit: AT_A_TIME,
        offset,
      });
      for (const { id, state } of old) {
        // A client may give that name to a session of its own, which is in lists.
        if (state.hidden && (await this.#delete(id))) deleted += 1;
        else offset += 1;
      }
      if (old.length < AT_A_TIME) break;
    }
    return deleted;
  }

  async #delete(id: string): Promise<boolean> {
    try {
      await this.#host.delete(id);
      return true;
    } catch (thrown) {
      this.#host.services.report(toHostError(thrown));
      return false;
    }
  }

  #later(ms: number): void {
    const { clock, report } = this.#host.services;
    this.#cancel = clock.after(ms, () => {
      this.sweep()
        .catch((thrown: unknown) => report(toHostError(thrown)))
        .finally(() => {
          if (!this.#closed) this.#later(EVERY_MS);
        });
    });
  }
}
