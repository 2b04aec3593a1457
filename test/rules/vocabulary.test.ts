import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Declaration, declarationsIn, ROOT, sourceFiles } from "./declarations.ts";

const declarations = sourceFiles().flatMap(declarationsIn);

/** Words that begin a question or a clause instead of naming a thing. */
const CLAUSE =
  /^(?:what|whatever|who|whoever|whose|where|wherever|when|whenever|how|why|whether|which|that|those who|if|there|it|for|in|at|from|is|are|was|has|have|had|does|do|can|may|must|told|asked|made|leave|something|somebody|everything|nothing|nobody)\b/i;
/** A verb in the third person, told from a plural noun by what follows it. */
const VERB =
  /^[A-Z][a-z]+s (?:a|an|the|all|any|each|every|one|two|its|it|them|this|these|what|whom|where|how|whether|no|nothing|something|up|out|down|again|only|back|again)\b/;

const opensWithNoun = ({ comment }: Declaration): boolean =>
  comment !== "" && !CLAUSE.test(comment) && !VERB.test(comment);

/** The backends of the store carry out the same operations: what one calls a thing, the other calls it too. */
const BACKENDS = /^src\/providers\/store\/(sqlite|postgres)\//;

/** The files that declare a name; those of the backends with the most of them. */
function meanings(all: readonly Declaration[]): number {
  const files = Map.groupBy(new Set(all.map(({ file }) => file)), (file) => BACKENDS.exec(file)?.[1] ?? "");
  const { "": elsewhere = [], ...backends } = Object.fromEntries(files);
  return elsewhere.length + Math.max(0, ...Object.values(backends).map(({ length }) => length));
}

const glossary = readFileSync(join(ROOT, "docs/glossary.md"), "utf8");

test("the doc comment of every exported type opens with a noun", () => {
  const wrong = declarations.filter((each) => each.isType && !opensWithNoun(each));
  expect(wrong.map(({ file, name, comment }) => `${file} ${name}: ${comment.slice(0, 60)}`)).toEqual([]);
});

test("an exported name that stands for several things is in the glossary", () => {
  const [, listed = ""] = glossary.split("## Names with more than one meaning");
  const allowed = new Set([...listed.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name));
  const files = Map.groupBy(declarations, ({ name }) => name);
  const several = [...files].filter(([, all]) => meanings(all) > 1);
  const surprising = several.filter(([name]) => !allowed.has(name));
  expect(surprising.map(([name, all]) => `${name}: ${all.map(({ file }) => file).join(", ")}`)).toEqual([]);
  const needless = [...allowed].filter((name) => !several.some(([each]) => each === name));
  expect(needless).toEqual([]);
});

test("the glossary explains each term once, in alphabetical order", () => {
  const [terms = ""] = glossary.split("## Names with more than one meaning");
  const names = [...terms.matchAll(/^- \*\*(.+?)\*\*: \S/gm)].map(([, name = ""]) => name.toLowerCase());
  expect(names.length).toBeGreaterThan(60);
  expect(names).toEqual([...new Set(names)].toSorted((a, b) => a.localeCompare(b, "en")));
});
