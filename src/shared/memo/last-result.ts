/** The last value that was made, given again as long as all that it was made of is the same. */
export class LastResult<T> {
  #inputs: readonly unknown[] = [];
  #result: { readonly value: T } | undefined;

  /** @param inputs - what the value depends on, compared by identity */
  of(inputs: readonly unknown[], make: () => T): T {
    const isSame =
      inputs.length === this.#inputs.length && inputs.every((each, at) => each === this.#inputs[at]);
    if (this.#result !== undefined && isSame) return this.#result.value;
    const value = make();
    this.#inputs = inputs;
    this.#result = { value };
    return value;
  }
}
