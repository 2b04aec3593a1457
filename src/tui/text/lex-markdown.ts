import { marked, type Token } from "marked";
import { isDenseMarkdown } from "../../shared/text/markdown-density.ts";

/** Reads Markdown as blocks. A text that would take long, or that the parser cannot read, is a paragraph as it stands. */
export function lexMarkdown(text: string): readonly Token[] {
  if (!isDenseMarkdown(text)) {
    try {
      return marked.lexer(text);
    } catch {
      // Too deep for the parser: it is shown as it is.
    }
  }
  return text === ""
    ? []
    : [{ type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text }] }];
}
