import type { SessionActor } from "./session-actor.ts";

/** Sessions kept in memory though nobody holds them. */
const KEPT = 256;
/** Sessions whose conversation is kept too, so that the next turn need not read it. */
const WARM = 64;

/** The sessions in this process's memory: one object for one id, as long as anybody holds it. */
export class SessionShelf {
  readonly #known = new Map<string, WeakRef<SessionActor>>();
  /** Newest use last. */
  readonly #kept = new Map<string, SessionActor>();
  readonly #warm = new Set<SessionActor>();
  readonly #gone = new FinalizationRegistry<string>((id) => {
    if (this.#known.get(id)?.deref() === undefined) this.#known.delete(id);
  });

  get(id: string): SessionActor | undefined {
    const actor = this.#known.get(id)?.deref();
    if (actor?.log.gone === true) {
      this.drop(id);
      return undefined;
    }
    if (actor !== undefined) this.#keep(id, actor);
    return actor;
  }

  getOrPut(id: string, make: () => SessionActor): SessionActor {
    const known = this.get(id);
    if (known !== undefined) return known;
    const actor = make();
    this.#known.set(id, new WeakRef(actor));
    this.#gone.register(actor, id);
    this.#keep(id, actor);
    return actor;
  }

  drop(id: string): void {
    this.#known.delete(id);
    const actor = this.#kept.get(id);
    if (actor !== undefined) this.#warm.delete(actor);
    this.#kept.delete(id);
  }

  all(): readonly SessionActor[] {
    return [...this.#known.values()].flatMap((reference) => reference.deref() ?? []);
  }

  /** Marks as used; what was not used for longest and does nothing is let go. */
  #keep(id: string, actor: SessionActor): void {
    this.#kept.delete(id);
    this.#kept.set(id, actor);
    this.#warm.delete(actor);
    this.#warm.add(actor);
    const [coldest] = this.#warm;
    if (this.#warm.size > WARM && coldest?.idle === true) {
      coldest.forget();
      this.#warm.delete(coldest);
    }
    if (this.#kept.size <= KEPT) return;
    for (const [oldest, candidate] of this.#kept) {
      if (!candidate.idle) continue;
      this.#kept.delete(oldest);
      return;
    }
  }
}
