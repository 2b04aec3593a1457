import type { Records } from "../../src/core/index.ts";
import { HostError } from "../../src/shared/errors/host-error.ts";

/** Records of which those in spaces that begin so reject everything, or some calls, while they are away. */
export class LeavingRecords {
  isAway = false;
  readonly #prefix: string;
  readonly #calls: readonly string[] | undefined;

  /** @param calls - the names of those that are rejected; all by default */
  constructor(prefix = "", calls?: readonly (keyof Records)[]) {
    this.#prefix = prefix;
    this.#calls = calls;
  }

  readonly of = (records: Records): Records =>
    new Proxy(records, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (this.#calls?.includes(String(name)) === false) return value.bind(target) as unknown;
        return (...given: readonly unknown[]): unknown => {
          const [first] = given as [string | { readonly space: string }];
          const space = typeof first === "string" ? first : first.space;
          if (!this.isAway || !space.startsWith(this.#prefix)) return Reflect.apply(value, target, given);
          return Promise.reject(new HostError("store_unavailable", "The database is away."));
        };
      },
    });
}
