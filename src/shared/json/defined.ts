/** An object without the keys whose value is `undefined`. */
export type Defined<T> = string extends keyof T
  ? { [K in keyof T]: Exclude<T[K], undefined> }
  : { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
      [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
    };

/** Leaves out the keys whose value is `undefined`: types tell an absent key from one that is `undefined`. */
export function defined<T extends object>(values: T): Defined<T> {
  // Nothing else is changed.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
