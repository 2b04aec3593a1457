import { common, createLowlight } from "lowlight";
import { type Span, span, type Style } from "./line.ts";

type Tree = ReturnType<ReturnType<typeof createLowlight>["highlight"]>;
type Node = Tree["children"][number];

/** A function that colours code. Code in an unknown language stays as it is. */
export type Highlighter = (code: string, language: string) => readonly Span[];

/** Colours for the languages that are met most. */
export function makeHighlighter(): Highlighter {
  const lowlight = createLowlight(common);
  return (code, language) =>
    lowlight.registered(language)
      ? lowlight.highlight(language, code).children.flatMap((node) => spans(node, []))
      : [span(code)];
}

function spans(node: Node, styles: readonly Style[]): readonly Span[] {
  switch (node.type) {
    case "text":
      return [{ text: node.value, styles }];
    case "element": {
      const own = styleOf(node.properties["className"]);
      return node.children.flatMap((child) => spans(child, own === undefined ? styles : [own]));
    }
    case "comment":
    case "doctype":
      return [];
  }
}

function styleOf(classes: unknown): Style | undefined {
  const names: readonly unknown[] = Array.isArray(classes) ? classes : [];
  return names
    .map((name) => CLASS_STYLES[String(name).replace(/^hljs-/, "")])
    .find((style) => style !== undefined);
}

/** What a class of the highlighter looks like. */
const CLASS_STYLES: Readonly<Record<string, Style>> = {
  keyword: "keyword",
  built_in: "name",
  type: "name",
  literal: "number",
  number: "number",
  regexp: "string",
  string: "string",
  comment: "comment",
  doctag: "comment",
  meta: "comment",
  title: "name",
  section: "heading",
  name: "keyword",
  attr: "name",
  attribute: "name",
  symbol: "number",
  bullet: "accent",
  addition: "added",
  deletion: "removed",
  "selector-tag": "keyword",
  "selector-class": "name",
};
