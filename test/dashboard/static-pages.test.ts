import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { serveStaticPages } from "../../src/dashboard/server/static-pages.ts";
import type { HttpEnv } from "../../src/http/server/context.ts";

/** Writes pages as a build does: the script of a page has a name of its own. */
function build(folder: string, version: number): void {
  const assets = join(folder, "assets");
  mkdirSync(assets, { recursive: true });
  writeFileSync(join(assets, `page-${version}.js`), `// ${version}`);
  writeFileSync(join(folder, "index.html"), `<script src="/assets/page-${version}.js"></script>`);
  if (version === 1) writeFileSync(join(folder, "index.html.br"), "packed");
  rmSync(join(assets, `page-${version - 1}.js`), { force: true });
  if (version > 1) rmSync(join(folder, "index.html.br"), { force: true });
  // A test is quicker than the clock of some file systems.
  for (const each of [folder, assets]) utimesSync(each, version, version);
}

test("a page comes with its scripts, also after its files were replaced, in place or as a whole", async () => {
  const folder = mkdtempSync(join(tmpdir(), "agent-pages-"));
  const web = join(folder, "web");
  build(web, 1);
  const app = new Hono<HttpEnv>();
  expect(await serveStaticPages(app, web, () => "/index.html")).toBe(true);
  const page = async () => {
    const html = await (await app.request("/users")).text();
    const script = await app.request(/src="(.*)"/.exec(html)?.[1] ?? "");
    return await script.text();
  };
  expect(await page()).toBe("// 1");
  build(web, 2);
  expect(await page()).toBe("// 2");
  const unpacked = await app.request("/", { headers: { "accept-encoding": "br" } });
  expect(unpacked.headers.has("content-encoding")).toBe(false);
  build(join(folder, "next"), 3);
  renameSync(web, join(folder, "last"));
  renameSync(join(folder, "next"), web);
  expect(await page()).toBe("// 3");
  rmSync(folder, { recursive: true });
  expect((await app.request("/")).status).toBe(404);
});
