/** A text to be found in other text. */
export interface Literal {
  readonly text: string;
  /** Characters at its beginning that do not belong to what is found. */
  readonly shown: number;
  /** It is found across line breaks too. */
  readonly wraps: boolean;
}

/** Characters that a table has a place for. */
export const ASCII = 128;

/** A place on the way through text. */
export interface Walk {
  state: number;
  at: number;
  /** 1 for each character that stops it. */
  readonly stops: Uint8Array;
}

/**
 * An automaton that finds many literals at once, in one look at each character (Aho and Corasick). A state stands for the
 * longest end of the text that is the beginning of a literal; 0 is the state without any.
 */
export class LiteralMatcher {
  readonly longest: number;
  #size = 1;
  /** Of each state, the character that leads to it. */
  readonly #codes: Uint16Array;
  /** Of each state, the one that its first edge leads to; most states have no other. 0 for none, here as below. */
  readonly #children: Int32Array;
  /** Of each state, the next one with an edge from the same state. */
  readonly #siblings: Int32Array;
  /** Edges but the first, by state and character. */
  readonly #branches = new Map<number, number>();
  /** The states behind one character are the first ones after 0. */
  readonly #singles: number;
  /** The next state of each of these and of 0, by character: text without literals is a walk through this table. */
  readonly #table: Int32Array;
  /** Of each state, the one for the next shorter end of the text. */
  readonly #fails: Int32Array;
  readonly #found: Int32Array;
  readonly #held: Int32Array;
  readonly #wraps: Uint8Array;

  constructor(literals: readonly Literal[]) {
    this.longest = literals.reduce((most, { text }) => Math.max(most, text.length), 0);
    const most = literals.reduce((sum, { text }) => sum + text.length, 1);
    this.#codes = new Uint16Array(most);
    this.#children = new Int32Array(most);
    this.#siblings = new Int32Array(most);
    this.#fails = new Int32Array(most);
    this.#found = new Int32Array(most);
    this.#held = new Int32Array(most);
    this.#wraps = new Uint8Array(most);
    for (const { text } of literals) if (text !== "") this.#step(0, text.charCodeAt(0));
    this.#singles = this.#size - 1;
    this.#table = new Int32Array((this.#singles + 1) * ASCII);
    for (const literal of literals) this.#add(literal);
    this.#link();
    this.#fillTable();
  }

  /**
   * Walks on through text until two characters are the beginning of a literal, or up to a character beyond ASCII or one
   * that stops it.
   */
  walk(text: string, walk: Walk): void {
    const table = this.#table;
    const singles = this.#singles;
    const { stops } = walk;
    let { state, at } = walk;
    for (; state <= singles && at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= ASCII || stops[code] === 1) break;
      state = table[state * ASCII + code] ?? 0;
    }
    walk.state = state;
    walk.at = at;
  }

  /** The state after one more character. */
  next(from: number, code: number): number {
    let state = from;
    while (state !== 0) {
      const target = this.#edge(state, code);
      if (target !== 0) return target;
      state = this.#fails[state] ?? 0;
    }
    return this.#edge(0, code);
  }

  /** The state that a line break leaves as it is; `undefined` when it is a character like others. */
  wrapped(from: number, code: number): number | undefined {
    for (let state = from; state !== 0; state = this.#fails[state] ?? 0) {
      if (this.#edge(state, code) !== 0) return undefined;
      if (this.#wraps[state] === 1) return state;
    }
    return undefined;
  }

  /** Characters up to here that belong to a literal that ends here; 0 when none does. */
  foundAt(state: number): number {
    return this.#found[state] ?? 0;
  }

  /** Characters up to here that may belong to a literal that ends later. */
  heldAt(state: number): number {
    return this.#held[state] ?? 0;
  }

  #edge(state: number, code: number): number {
    const child = this.#children[state] ?? 0;
    if (child === 0 || this.#codes[child] === code) return child;
    return this.#siblings[child] === 0 ? 0 : (this.#branches.get(state * 0x1_0000 + code) ?? 0);
  }

  #add({ text, shown, wraps }: Literal): void {
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      state = this.#step(state, code);
      this.#held[state] = Math.max(this.#held[state] ?? 0, at + 1 - shown);
      // A single character at the end of a line is no reason to wait for the next one.
      if (wraps && at > 0 && at < text.length - 1) this.#wraps[state] = 1;
    }
    this.#found[state] = Math.max(this.#found[state] ?? 0, text.length - shown);
  }

  #step(state: number, code: number): number {
    const known = this.#edge(state, code);
    return known === 0 ? this.#grow(state, code) : known;
  }

  #grow(from: number, code: number): number {
    const state = this.#size;
    this.#size += 1;
    this.#codes[state] = code;
    const first = this.#children[from] ?? 0;
    if (first === 0) this.#children[from] = state;
    else {
      this.#siblings[state] = this.#siblings[first] ?? 0;
      this.#siblings[first] = state;
      this.#branches.set(from * 0x1_0000 + code, state);
    }
    return state;
  }

  /** Finds where each state fails to, the shortest first: its own shorter ends are then known. */
  #link(): void {
    const order = new Int32Array(this.#size);
    let known = 1;
    for (let index = 0; index < known; index += 1) {
      const from = order[index] ?? 0;
      const fail = this.#fails[from] ?? 0;
      this.#found[from] = Math.max(this.#found[from] ?? 0, this.#found[fail] ?? 0);
      this.#held[from] = Math.max(this.#held[from] ?? 0, this.#held[fail] ?? 0);
      for (let state = this.#children[from] ?? 0; state !== 0; state = this.#siblings[state] ?? 0) {
        this.#fails[state] = from === 0 ? 0 : this.next(fail, this.#codes[state] ?? 0);
        order[known] = state;
        known += 1;
      }
    }
  }

  #fillTable(): void {
    const first = this.#table.subarray(0, ASCII);
    for (let code = 0; code < ASCII; code += 1) first[code] = this.#edge(0, code);
    for (let state = 1; state <= this.#singles; state += 1) {
      const row = this.#table.subarray(state * ASCII, (state + 1) * ASCII);
      row.set(first);
      for (let child = this.#children[state] ?? 0; child !== 0; child = this.#siblings[child] ?? 0) {
        const code = this.#codes[child] ?? 0;
        if (code < ASCII) row[code] = child;
      }
    }
  }
}
