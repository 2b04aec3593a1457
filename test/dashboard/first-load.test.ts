import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const PAGES = join(import.meta.dirname, "../../dist/web");
const MOST_BYTES = 200_000;

/** The files that the first page loads: what its HTML names, what those import at once, and the page's own parts. */
function firstLoad(): readonly string[] {
  const html = readFileSync(join(PAGES, "index.html"), "utf8");
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
  for (const name of assets) if (/^home-.*\.(?:js|css)$/.test(name)) load(name);
  return [...loaded];
}

test("the first page is loaded with at most 200 KB", () => {
  const files = firstLoad();
  expect(files.length).toBeGreaterThan(3);
  const bytes = files.reduce((sum, name) => sum + statSync(join(PAGES, "assets", `${name}.br`)).size, 0);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});
