import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const PAGES = join(import.meta.dirname, "../../dist/web");

/** The files that a first page loads: what its HTML names, what those import at once, and the page's own parts. */
function firstLoad(page: string, ownParts?: RegExp): readonly string[] {
  const html = readFileSync(join(PAGES, page), "utf8");
  const assets = readdirSync(join(PAGES, "assets"));
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name) || !assets.includes(name)) return;
    loaded.add(name);
    if (!name.endsWith(".js")) return;
    const code = readFileSync(join(PAGES, "assets", name), "utf8");
    for (const [, imported = ""] of code.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) load(imported);
  };
  for (const [, name = ""] of html.matchAll(/\/assets\/([^"]+)"/g)) load(name);
  for (const name of assets) if (ownParts?.test(name) === true) load(name);
  return [...loaded];
}

test.each([
  { of: "the dashboard", page: "index.html", ownParts: /^home-.*\.(?:js|css)$/, most: 200_000 },
  { of: "the members' app", page: "app.html", ownParts: undefined, most: 100_000 },
])("the first page of $of is loaded with at most $most bytes", ({ page, ownParts, most }) => {
  const files = firstLoad(page, ownParts);
  expect(files.length).toBeGreaterThan(3);
  const bytes = files.reduce((sum, name) => sum + statSync(join(PAGES, "assets", `${name}.br`)).size, 0);
  expect(bytes).toBeLessThanOrEqual(most);
});
