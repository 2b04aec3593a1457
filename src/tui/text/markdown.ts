import type { Token, Tokens } from "marked";
import { codeLines } from "./code.ts";
import { diffLines } from "./diff.ts";
import { BLANK, hanging, indented, type Line, line, type Span, span, type Style } from "./line.ts";
import { lexMarkdown } from "./lex-markdown.ts";
import { tableLines } from "./table.ts";
import { wrap, wrapSpans } from "./wrap.ts";

/** Markdown as lines of at most so many columns. What is no markdown yet, as the end of a stream, is shown as it is. */
export function markdownLines(text: string, columns: number): readonly Line[] {
  return blocks(lexMarkdown(text), columns);
}

/** A block of code of a fence: what a language looks like, or a diff. */
export function fenceLines(code: string, language: string, columns: number): readonly Line[] {
  const inner = columns - CODE_BAR.text.length;
  const lines = language === "diff" ? diffLines(code, inner) : codeLines(code, language, inner);
  return indented(lines, CODE_BAR);
}

const CODE_BAR = span("│ ", "border");

function blocks(tokens: readonly Token[], columns: number): readonly Line[] {
  const lines: Line[] = [];
  for (const token of tokens) {
    if (token.type === "space") continue;
    const block = blockLines(token, columns);
    if (block.length === 0) continue;
    if (lines.length > 0) lines.push(BLANK);
    lines.push(...block);
  }
  return lines;
}

function blockLines(token: Token, columns: number): readonly Line[] {
  // The library's union has an open member, so its type fields do not narrow it.
  const known = token as
    | Tokens.Heading
    | Tokens.Code
    | Tokens.List
    | Tokens.Table
    | Tokens.Blockquote
    | Tokens.Hr;
  switch (known.type) {
    case "heading":
      return wrapSpans(inline(known.tokens, ["heading", "accent"]), columns);
    case "code":
      return fenceLines(known.text, languageOf(known.lang), columns);
    case "list":
      return listLines(known, columns);
    case "table":
      return tableLines(
        {
          header: known.header.map((cell) => inline(cell.tokens, ["bold"])),
          rows: known.rows.map((row) => row.map((cell) => inline(cell.tokens, []))),
          align: known.align,
        },
        columns,
      );
    case "blockquote":
      return indented(blocks(known.tokens, columns - 2), span("▎ ", "border"));
    case "hr":
      return [line("─".repeat(Math.min(columns, 40)), "border")];
    default:
      return textLines(token, columns);
  }
}

function textLines(token: Token, columns: number): readonly Line[] {
  if ("tokens" in token && token.tokens !== undefined) return wrapSpans(inline(token.tokens, []), columns);
  return wrap(token.raw.trim(), columns);
}

export const languageOf = (info: string | undefined): string =>
  /^\s*([^\s{]+)/.exec(info ?? "")?.[1]?.toLowerCase() ?? "";

function listLines({ items, ordered, start }: Tokens.List, columns: number): readonly Line[] {
  const first = typeof start === "number" ? start : 1;
  const widest = `${first + items.length - 1}. `.length;
  return items.flatMap((item, index) => {
    const mark = ordered ? `${first + index}. `.padStart(widest) : "• ";
    const box = item.task ? (item.checked === true ? "☑ " : "☐ ") : "";
    const lines = itemLines(item, columns - mark.length - box.length);
    return hanging(lines, span(mark + box, "accent"), " ".repeat(mark.length + box.length));
  });
}

/** What stands in an item; its parts follow each other without a gap. */
function itemLines(item: Tokens.ListItem, columns: number): readonly Line[] {
  const lines = item.tokens
    .filter(({ type }) => type !== "space" && type !== "checkbox")
    .flatMap((token) => blockLines(token, columns));
  return lines.length === 0 ? [BLANK] : lines;
}

function inline(tokens: readonly Token[], styles: readonly Style[]): readonly Span[] {
  return tokens.flatMap((token) => inlineSpans(token, styles));
}

function inlineSpans(token: Token, styles: readonly Style[]): readonly Span[] {
  const inner = "tokens" in token ? (token.tokens ?? []) : [];
  switch (token.type) {
    case "strong":
      return inline(inner, [...styles, "bold"]);
    case "em":
      return inline(inner, [...styles, "italic"]);
    case "del":
      return inline(inner, [...styles, "strike"]);
    case "codespan":
      return [span((token as Tokens.Codespan).text, ...styles, "code")];
    case "br":
      return [span("\n")];
    case "link":
      return linkSpans(token as Tokens.Link, styles);
    case "image":
      return [span(`[image: ${(token as Tokens.Image).text}]`, ...styles, "dim")];
    case "checkbox":
      return [];
    case "text":
    case "paragraph":
      if (inner.length > 0) return inline(inner, styles);
      return [span(unescaped(token), ...styles)];
    case "escape":
      return [span(unescaped(token), ...styles)];
    default:
      return [span(token.raw, ...styles)];
  }
}

const unescaped = (token: Token): string => ("text" in token ? token.text : token.raw).replaceAll("\n", " ");

/** A link's words and, when they do not say it already, its address: what a terminal makes of it is seen before. */
function linkSpans({ tokens, href, text }: Tokens.Link, styles: readonly Style[]): readonly Span[] {
  const words = inline(tokens, [...styles, "link"]);
  const said = href === text || href === `mailto:${text}` || href === `http://${text}`;
  return said ? words : [...words, span(` (${href})`, ...styles, "dim")];
}
