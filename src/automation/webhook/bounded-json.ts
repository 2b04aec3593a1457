const INDENT = 2;
const DEEPEST = 64;

/**
 * Prints a value as indented JSON and stops at the limit: the work is bounded by the output, not by the value.
 * Values nested deeper than 64 levels are shown as `…`.
 */
export function boundedJson(value: unknown, limit: number): string {
  const printer = new Printer(limit);
  printer.print(value, 0);
  return printer.text.slice(0, limit).toWellFormed();
}

class Printer {
  text = "";
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get #full(): boolean {
    return this.text.length >= this.#limit;
  }

  print(value: unknown, depth: number): void {
    if (this.#full) return;
    if (typeof value === "string") this.#string(value);
    else if (typeof value !== "object" || value === null) this.text += JSON.stringify(value) ?? "null";
    else if (depth >= DEEPEST) this.text += '"…"';
    else if (Array.isArray(value)) this.#list(value, depth);
    else this.#object(value, depth);
  }

  /** Reads only as much of a long text as can be shown. */
  #string(value: string): void {
    const room = this.#limit - this.text.length;
    this.text += JSON.stringify(value.length > room ? value.slice(0, room) : value);
  }

  #list(values: readonly unknown[], depth: number): void {
    this.text += "[";
    for (let index = 0; index < values.length && !this.#full; index += 1) {
      this.#line(depth + 1);
      this.print(values[index], depth + 1);
      if (index < values.length - 1) this.text += ",";
    }
    if (values.length > 0) this.#line(depth);
    this.text += "]";
  }

  #object(value: object, depth: number): void {
    this.text += "{";
    let first = true;
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      if (this.#full) return;
      if (!first) this.text += ",";
      first = false;
      this.#line(depth + 1);
      this.#string(key);
      this.text += ": ";
      this.print(Reflect.get(value, key), depth + 1);
    }
    if (!first) this.#line(depth);
    this.text += "}";
  }

  #line(depth: number): void {
    if (!this.#full) this.text += `\n${" ".repeat(INDENT * depth)}`;
  }
}
