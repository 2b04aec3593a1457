import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { toMarkdown } from "./markdown.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { LONGEST_PAGE, type Page, type PageRequest } from "./page.ts";

/** Pages beyond these are not made into trees: what reads trees takes too long, or too much stack, for them. */
const MOST_ELEMENTS = 40_000;
const DEEPEST = 256;

/** A main text that is shorter than this share of all, and than so many characters, has missed what matters. */
const SHARE = 0.5;
const ENOUGH = 1500;
/** One with this share is all that there is. */
const NEARLY_ALL = 0.9;

/** Gives a page's plain text first, then as Markdown its main text, or all of it when that cannot be told. */
export function* readHtml({ html, url }: Extract<PageRequest, { kind: "html" }>): Generator<Page> {
  const outline = outlineOf(html);
  const { title, elements, depth, text } = outline;
  yield { title, text: text.slice(0, LONGEST_PAGE), note: "plain text" };
  if (elements > MOST_ELEMENTS || depth > DEEPEST) return;
  const tree = treeOf(html, baseOf(url, outline));
  const whole = tree.body.innerHTML;
  const article = new Readability(tree, { maxElemsToParse: MOST_ELEMENTS }).parse();
  const size = (article?.textContent ?? "").trim().length;
  const isMain = size > 0 && (size >= ENOUGH || size >= SHARE * text.length);
  const markdown = toMarkdown(isMain ? (article?.content ?? "") : whole);
  if (markdown === "") return;
  const isPart = isMain && size < NEARLY_ALL * text.length;
  yield {
    title: title || (article?.title ?? ""),
    text: markdown.slice(0, LONGEST_PAGE),
    ...(isPart ? { note: "main text" } : {}),
  };
}

const baseOf = (url: string, { base }: Outline): string =>
  base === undefined ? url : (URL.parse(base, url)?.href ?? url);

/** What no reader of the page sees: a place for words that are meant for models only. */
const HIDDEN = '[hidden], [aria-hidden="true"], [style*="display:none"], [style*="display: none"]';

/** A tree of what is to be seen, in which links and images have whole addresses. */
function treeOf(html: string, base: string): Document {
  const whole = /<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`;
  const { document } = parseHTML(whole);
  for (const element of document.querySelectorAll(HIDDEN)) element.remove();
  for (const name of ["href", "src"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      const given = element.getAttribute(name) ?? "";
      const address = URL.parse(given, base);
      const leadsOut = address !== null && address.protocol !== "javascript:" && !given.startsWith("#");
      if (leadsOut) element.setAttribute(name, address.href);
      else element.removeAttribute(name);
      element.removeAttribute("title");
    }
  }
  return document;
}
