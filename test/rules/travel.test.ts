import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./declarations.ts";

const page = readFileSync(join(ROOT, "docs/how-a-prompt-travels.md"), "utf8");

/** The steps of each door: `file` and the function, method or class in it. */
const steps = [...page.matchAll(/^\d+\. `([^`]+)` in `((?:src|bin)\/[^`]+)`/gm)].map(
  ([, name = "", file = ""]) => ({ name, file }),
);

const door = (title: string): readonly { readonly name: string; readonly file: string }[] => {
  const [, after = ""] = page.split(`\n## ${title}\n`);
  const [section = ""] = after.split("\n## ");
  return [...section.matchAll(/^\d+\. `([^`]+)` in `((?:src|bin)\/[^`]+)`/gm)].map(
    ([, name = "", file = ""]) => ({ name, file }),
  );
};

test("the page about a prompt's way names files and functions that exist", () => {
  expect(steps.length).toBeGreaterThan(30);
  for (const { name, file } of steps) {
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    const word = name.split(/[.#]/).at(-1)?.replace(/\(\)$/, "") ?? "";
    expect(readFileSync(join(ROOT, file), "utf8"), `${name} in ${file}`).toMatch(
      new RegExp(`(?<![\\w$])#?${word}(?![\\w$])`),
    );
  }
});

const DOORS = [
  "From an editor (ACP)",
  "From a gateway client (JSON-RPC)",
  "From an OpenAI client (HTTP)",
  "From a run (HTTP)",
  "From a webhook",
];

test.each(DOORS)("%s: at most six files lead to Session.submit", (title) => {
  const files = new Set(door(title).map(({ file }) => file));
  expect(files.size).toBeGreaterThan(1);
  expect(files.size).toBeLessThanOrEqual(6);
  expect(door(title).at(-1)).toEqual({ name: "Session.submit", file: "src/core/session.ts" });
});

test("at most eight files lead from Session.submit to the model", () => {
  const files = new Set(door("From Session.submit to the model").map(({ file }) => file));
  expect(files.size).toBeGreaterThan(3);
  expect(files.size).toBeLessThanOrEqual(8);
});
