import { Parser } from "htmlparser2";
import { LONGEST_PAGE } from "./page.ts";

/** The facts about a page that one linear look gives, without a tree. */
export interface Outline {
  readonly title: string;
  /** Of its `base` element; the address for relative links. */
  readonly base: string | undefined;
  /** All that it says, without marks. */
  readonly text: string;
  readonly elements: number;
  /** How deep its elements lie in one another. */
  readonly depth: number;
}

/** Reads a page in time and memory that grow with its length alone, whatever it holds. */
export function outlineOf(html: string): Outline {
  const writer = new OutlineWriter();
  const parser = new Parser(writer);
  let read = 0;
  while (read < html.length && !writer.isTooDeep()) {
    parser.write(html.slice(read, read + CHUNK));
    read += CHUNK;
  }
  // A parser that is to close thousands of elements takes its time; what is left is looked at without one.
  if (writer.isTooDeep()) writer.ontext(html.slice(read, read + LONGEST_PAGE).replaceAll(/<[^<>]*>/g, " "));
  else parser.end();
  return writer.outline();
}

/** Characters that are parsed at a time. */
const CHUNK = 16 * 1024;
/** No page for people is as deep. */
const TOO_DEEP = 2000;
const LONGEST_TITLE = 1000;

const SILENT = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "iframe",
  "object",
  "select",
]);
const BLOCKS = new Set(
  "address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul".split(
    " ",
  ),
);

class OutlineWriter {
  readonly #texts: string[] = [];
  #title = "";
  #base: string | undefined;
  #elements = 0;
  #depth = 0;
  #deepest = 0;
  #silent = 0;
  #size = 0;
  #inTitle = false;

  isTooDeep(): boolean {
    return this.#deepest > TOO_DEEP;
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#elements += 1;
    this.#depth += 1;
    this.#deepest = Math.max(this.#deepest, this.#depth);
    if (SILENT.has(name)) this.#silent += 1;
    if (name === "title" && this.#title === "") this.#inTitle = true;
    if (name === "base") this.#base ??= attributes["href"];
    if (BLOCKS.has(name)) this.#say("\n");
  }

  ontext(text: string): void {
    if (this.#inTitle) this.#title = (this.#title + text).slice(0, LONGEST_TITLE);
    else if (this.#silent === 0) this.#say(text);
  }

  onclosetag(name: string): void {
    this.#depth -= 1;
    if (SILENT.has(name)) this.#silent -= 1;
    if (name === "title") this.#inTitle = false;
    if (BLOCKS.has(name)) this.#say("\n");
  }

  outline(): Outline {
    return {
      title: oneLine(this.#title),
      base: this.#base,
      text: tidy(this.#texts.join("")),
      elements: this.#elements,
      depth: this.#deepest,
    };
  }

  #say(text: string): void {
    if (this.#size > LONGEST_PAGE) return;
    this.#texts.push(text);
    this.#size += text.length;
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const tidy = (text: string): string =>
  text
    .split("\n")
    .map(oneLine)
    .filter((line) => line !== "")
    .join("\n");
