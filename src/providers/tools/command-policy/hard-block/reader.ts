/** A place in a command line that is being read. */
export class Reader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** The character at the place, or `""` at the end. */
  peek(offset = 0): string {
    return this.text.charAt(this.at + offset);
  }

  starts(words: string): boolean {
    return this.text.startsWith(words, this.at);
  }

  /** Takes what a sticky pattern finds here; `undefined`, and nothing taken, when it finds nothing. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** Takes everything up to a text and the text itself; to the end when it does not come. */
  through(end: string): { readonly taken: string; readonly found: boolean } {
    const at = this.text.indexOf(end, this.at);
    const found = at >= 0;
    const taken = this.text.slice(this.at, found ? at : undefined);
    this.at += taken.length + (found ? end.length : 0);
    return { taken, found };
  }
}
