import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { HttpApp, HttpContext } from "../../http/server/context.ts";
import { setHeaders } from "../../http/server/security-headers.ts";
import { PAGE_HEADERS } from "./page-headers.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
  ".json": "application/json",
};
const PACKED = ".br";
/** Names of these have a hash of what is in them. */
const HASHED = "/assets/";

interface PageFile {
  readonly path: string;
  readonly packed: boolean;
}

/**
 * Serves the built pages of a folder. Whatever names no file and looks like a page gets an HTML file, whose script shows
 * the page of that address.
 *
 * @param pageOf - names the HTML file of a path without a file, if it is a page's
 * @returns whether there are pages; a checkout that was not built has none
 */
export async function serveStaticPages(
  app: HttpApp,
  folder: string,
  pageOf: (path: string) => `/${string}.html` | undefined,
): Promise<boolean> {
  const files = await filesOf(folder);
  if (files.size === 0) return false;
  app.get("*", async (c, next) => {
    const { path } = c.req;
    const found = files.get(path) ?? files.get(pageOf(path) ?? "");
    return found === undefined ? await next() : await answer(c, found);
  });
  return true;
}

/** The files by their paths in addresses. Only these are ever opened: no path of a request reaches the disk. */
async function filesOf(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const all = new Set(paths);
  return new Map(
    paths
      .filter((path) => !path.endsWith(PACKED))
      .map((path) => [
        `/${relative(folder, path).split(sep).join("/")}`,
        { path, packed: all.has(`${path}${PACKED}`) },
      ]),
  );
}

async function answer(c: HttpContext, { path, packed }: PageFile): Promise<Response> {
  const packs = packed && /\bbr\b/.test(c.req.header("accept-encoding") ?? "");
  const bytes = await readFile(packs ? `${path}${PACKED}` : path);
  setHeaders(c, PAGE_HEADERS);
  c.header("content-type", TYPES[extname(path)] ?? "application/octet-stream");
  c.header(
    "cache-control",
    c.req.path.startsWith(HASHED) ? "public, max-age=31536000, immutable" : "no-cache",
  );
  c.header("vary", "Accept-Encoding");
  if (packs) c.header("content-encoding", "br");
  return c.body(new Uint8Array(bytes));
}
