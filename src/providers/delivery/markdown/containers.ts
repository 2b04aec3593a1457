import type { Tokens } from "marked";

/** A list of which only some entries may be in a message. */
export interface OpenList {
  readonly tight: boolean;
  readonly ordered: boolean;
}

/** A block that holds others: a quote, or an entry of a list. */
export interface Container {
  /** Absent for a quote. */
  readonly entry?: { readonly list: OpenList; readonly number: string; readonly sign: string };
  /** Characters that stand before each line in it. */
  readonly width: number;
}

export const QUOTE_WIDTH = 2;

/** Makes the container that an entry of a list is. */
export function listEntryOf(list: OpenList, { raw }: Tokens.ListItem, number: number): Container {
  const sign = /^\s*(?:\d{1,9}([.)])|([-*+]))/.exec(raw);
  const count = list.ordered ? String(number) : "";
  const entry = { list, number: count, sign: sign?.[1] ?? sign?.[2] ?? (list.ordered ? "." : "-") };
  return { entry, width: count.length + 2 };
}

/** Characters that stand before each line, at most. */
export const widthOf = (path: readonly Container[]): number =>
  path.reduce((width, container) => width + container.width, 0);

/** Characters of a text with so many more before each line. */
export const lengthWithin = (text: string, width: number): number =>
  width === 0 ? text.length : text.length + width * text.split("\n").length;

/** Entries whose beginnings are in earlier messages. */
export type BegunContainers = ReadonlySet<Container>;

/** The containers that are open in one message, and the lists at each of its levels. */
export class OpenedContainers {
  readonly #inMessage: Set<Container>;
  readonly #lists: Map<string, { readonly list: OpenList; readonly sign: string }>;

  constructor(from?: OpenedContainers) {
    this.#inMessage = new Set(from === undefined ? [] : from.#inMessage);
    this.#lists = new Map(from === undefined ? [] : from.#lists);
  }

  /** What stands before the first line of a block, and before its others. An entry without its beginning is none. */
  enter(
    path: readonly Container[],
    begun: BegunContainers,
  ): { readonly head: string; readonly rest: string } {
    let [head, rest] = ["", ""];
    for (const container of path) {
      const { entry } = container;
      if (entry === undefined || this.#inMessage.has(container) || begun.has(container))
        head += this.#before(container);
      else {
        head += `${entry.number}${this.#signAt(rest, entry)} `;
        this.#inMessage.add(container);
      }
      rest += this.#before(container);
    }
    if (head === rest) this.#lists.delete(rest);
    return { head, rest };
  }

  /** The line between two blocks, which must not end what both are in. */
  between(one: readonly Container[], other: readonly Container[]): string {
    const end = one.findIndex((container, index) => container !== other[index]);
    const shared = end < 0 ? one : one.slice(0, end);
    return shared
      .map((container) => this.#before(container))
      .join("")
      .trimEnd();
  }

  #before(container: Container): string {
    if (container.entry === undefined) return "> ";
    return this.#inMessage.has(container) ? " ".repeat(container.width) : "";
  }

  /** Two lists that come to stand at one level, as their entries are cut, would be one list. */
  #signAt(level: string, { list, sign }: NonNullable<Container["entry"]>): string {
    const last = this.#lists.get(level);
    const isOther = last !== undefined && last.list !== list && last.list.ordered === list.ordered;
    const own =
      last?.list === list ? last.sign : isOther && last.sign === sign ? (OTHERS[sign] ?? sign) : sign;
    this.#lists.set(level, { list, sign: own });
    return own;
  }
}

const OTHERS: Readonly<Record<string, string>> = { "-": "*", "*": "-", "+": "-", ".": ")", ")": "." };
