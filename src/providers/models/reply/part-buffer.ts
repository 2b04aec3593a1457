import type { ModelPart } from "../../../core/index.ts";

/** A buffer of a reply's parts; text of one kind that arrived together becomes one part. */
export class PartBuffer {
  #parts: ModelPart[] = [];
  #kind: "text" | "reasoning" = "text";
  #text = "";
  /** Something was said. */
  spoke = false;

  say(kind: "text" | "reasoning", text: string): void {
    if (text === "") return;
    this.spoke = true;
    if (kind !== this.#kind) this.#flush();
    this.#kind = kind;
    this.#text += text;
  }

  push(parts: readonly ModelPart[]): void {
    if (parts.length === 0) return;
    this.#flush();
    for (const part of parts) this.#parts.push(part);
  }

  take(): readonly ModelPart[] {
    this.#flush();
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #flush(): void {
    if (this.#text === "") return;
    this.#parts.push({ type: this.#kind, text: this.#text });
    this.#text = "";
  }
}
