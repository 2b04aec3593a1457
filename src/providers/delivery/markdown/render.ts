import type { Token, Tokens } from "marked";
import { type Flavour, LINE_END } from "./flavour.ts";
import { markdownBlocks } from "./lex.ts";

/** Writes Markdown, as models do it, in the way of a platform. What it cannot say is left as it stands. */
export function renderMarkdown(source: string, flavour: Flavour): string {
  const written = new Renderer(flavour).blocks(markdownBlocks(source)).replaceAll(LINE_END, "\n");
  return written.trim() === "" ? flavour.text(source) : written;
}

/** What stands in an entry of a list as it does elsewhere; all else there are lines of it. */
const BLOCKS: ReadonlySet<string> = new Set(["list", "code", "blockquote", "table"]);

class Renderer {
  readonly #flavour: Flavour;

  constructor(flavour: Flavour) {
    this.#flavour = flavour;
  }

  blocks(tokens: readonly Token[]): string {
    const written = tokens.map((token) => this.#block(token)).filter((text) => text !== "");
    return written.join("\n\n");
  }

  #block(token: Token): string {
    const flavour = this.#flavour;
    switch (token.type) {
      case "space":
      case "def":
        return "";
      case "heading":
        return flavour.heading(this.#inline(token.tokens ?? []));
      case "paragraph":
        return flavour.paragraph(this.#inline(token.tokens ?? []));
      case "code":
        return this.#code(String(token["text"]), String(token["lang"] ?? ""));
      case "blockquote":
        return flavour.quote(this.blocks(token.tokens ?? []));
      case "list":
        // The parser's own type: a token that it calls a list is one.
        return this.#list(token as Tokens.List);
      case "table":
        return flavour.block(token.raw.trim(), "");
      case "hr":
        return flavour.paragraph(flavour.text("———"));
      default:
        return this.#inline([token]).trim();
    }
  }

  /** Writes code that its signs keep apart from what is around it; where there are none, it stands as far in. */
  #code(bare: string, language: string): string {
    const written = this.#flavour.block(bare, language);
    return written === bare ? written : written.replaceAll("\n", LINE_END);
  }

  #list({ items, ordered, start }: Tokens.List): string {
    const { bullet, newline } = this.#flavour;
    const first = start === "" ? 1 : start;
    return items
      .map((item, index) => {
        const mark = ordered ? `${first + index}.` : bullet;
        return `${mark} ${this.#entry(item).replaceAll("\n", "\n  ")}`;
      })
      .join(newline);
  }

  /** Writes the content of an entry, one block below the other. */
  #entry({ tokens }: Tokens.ListItem): string {
    let text = "";
    for (const token of tokens) {
      const written = BLOCKS.has(token.type) ? this.#block(token) : this.#inline([token]).trimEnd();
      if (written === "") continue;
      const isFirst = text === "" || token.type === "text";
      text += isFirst ? written : `${this.#flavour.newline}${written}`;
      if (token.type === "checkbox") text += " ";
    }
    return text;
  }

  #inline(tokens: readonly Token[]): string {
    return tokens.map((token) => this.#span(token)).join("");
  }

  #span(token: Token): string {
    const flavour = this.#flavour;
    const inner = (): string => this.#inline(childrenOf(token));
    switch (token.type) {
      case "strong":
        return flavour.strong(inner());
      case "em":
        return flavour.emphasis(inner());
      case "del":
        return flavour.deleted(inner());
      case "codespan":
        return flavour.code(String(token["text"]));
      case "link":
        return flavour.link(inner(), String(token["href"]));
      case "image":
        return flavour.link(this.#bare(String(token["text"])), String(token["href"]));
      case "br":
        return flavour.newline;
      case "checkbox":
        return token["checked"] === true ? "☑" : "☐";
      case "escape":
        return this.#bare(String(token["text"]));
      default:
        return childrenOf(token).length === 0 ? this.#bare(token.raw) : inner();
    }
  }

  #bare(text: string): string {
    const { newline } = this.#flavour;
    return this.#flavour.text(unescaped(text)).replaceAll("\n", newline);
  }
}

const childrenOf = (token: Token): readonly Token[] => ("tokens" in token ? (token.tokens ?? []) : []);

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

const unescaped = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);
