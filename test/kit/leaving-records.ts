import type { Records } from "../../src/core/index.ts";
import { HostError } from "../../src/shared/errors/host-error.ts";

/** Records of which those in spaces that begin so reject everything while they are away. */
export class LeavingRecords {
  isAway = false;
  readonly #prefix: string;

  constructor(prefix = "") {
    this.#prefix = prefix;
  }

  readonly of = (records: Records): Records =>
    new Proxy(records, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...given: readonly unknown[]): unknown => {
          const [first] = given as [string | { readonly space: string }];
          const space = typeof first === "string" ? first : first.space;
          if (!this.isAway || !space.startsWith(this.#prefix)) return Reflect.apply(value, target, given);
          return Promise.reject(new HostError("store_unavailable", "The database is away."));
        };
      },
    });
}
