/** Sessions kept in memory though nobody holds them. */
const KEPT = 256;
/** Sessions whose conversation is kept too, so that the next turn need not read it. */
const WARM = 64;
/** At most as many are looked at for one that is used: after a rush the cache becomes small again bit by bit. */
const LOOKS = 4;

interface CachedSession {
  /** It does nothing and nobody follows it. */
  readonly idle: boolean;
  readonly log: { readonly gone: boolean };
  /** Frees what can be read again. */
  forget(): void;
}

/** The sessions in this process's memory: one object for one id, as long as anybody holds it. */
export class SessionCache<Actor extends CachedSession> {
  readonly #known = new Map<string, WeakRef<Actor>>();
  /** Newest use last. */
  readonly #kept = new Map<string, Actor>();
  readonly #warm = new Set<Actor>();
  readonly #gone = new FinalizationRegistry<string>((id) => {
    if (this.#known.get(id)?.deref() === undefined) this.#known.delete(id);
  });

  get(id: string): Actor | undefined {
    const actor = this.#known.get(id)?.deref();
    if (actor?.log.gone === true) {
      this.drop(id);
      return undefined;
    }
    if (actor !== undefined) this.#keep(id, actor);
    return actor;
  }

  getOrPut(id: string, make: () => Actor): Actor {
    const known = this.get(id);
    if (known !== undefined) return known;
    const actor = make();
    this.#known.set(id, new WeakRef(actor));
    this.#gone.register(actor, id);
    this.#keep(id, actor);
    return actor;
  }

  /** The same, which does not count as a use. */
  peek(id: string): Actor | undefined {
    return this.#known.get(id)?.deref();
  }

  drop(id: string): void {
    this.#known.delete(id);
    const actor = this.#kept.get(id);
    if (actor !== undefined) this.#warm.delete(actor);
    this.#kept.delete(id);
  }

  all(): readonly Actor[] {
    return [...this.#known.values()].flatMap((reference) => reference.deref() ?? []);
  }

  /** Marks as used; what was not used for longest and does nothing is let go. */
  #keep(id: string, actor: Actor): void {
    this.#kept.delete(id);
    this.#kept.set(id, actor);
    this.#warm.delete(actor);
    this.#warm.add(actor);
    for (const [coldest] of trimmed(this.#warm.entries(), this.#warm.size - WARM)) {
      this.#warm.delete(coldest);
      // A session at work is in use, whenever it was asked for last.
      if (!coldest.idle) this.#warm.add(coldest);
      else coldest.forget();
    }
    for (const [oldest, candidate] of trimmed(this.#kept.entries(), this.#kept.size - KEPT)) {
      this.#kept.delete(oldest);
      if (!candidate.idle) this.#kept.set(oldest, candidate);
    }
  }
}

/** The first ones, as many as are too many, or a few. */
const trimmed = <T>(entries: IteratorObject<T>, tooMany: number): readonly T[] =>
  entries.take(Math.max(0, Math.min(tooMany, LOOKS))).toArray();
