import { readdir, readFile, stat } from "node:fs/promises";
import type { Dirent } from "node:fs";
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

/** The files that a folder has. */
interface Listing {
  /** By their paths in addresses. Only these are ever opened: no path of a request reaches the disk. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** When the folder and those below were last changed: no file comes or goes without that. */
  readonly folders: ReadonlyMap<string, number>;
}

/**
 * Serves the built pages of a folder. Whatever names no file and looks like a page gets an HTML file, whose script shows
 * the page of that address. Files may be replaced meanwhile, as by an update in place: a page always comes with the scripts
 * that it names.
 *
 * @param pageOf - names the HTML file of a path without a file, if it is a page's
 * @returns whether there are pages; a checkout that was not built has none
 */
export async function serveStaticPages(
  app: HttpApp,
  folder: string,
  pageOf: (path: string) => `/${string}.html` | undefined,
): Promise<boolean> {
  let listing = await listingOf(folder);
  if (listing.files.size === 0) return false;
  app.get("*", async (c, next) => {
    const { path } = c.req;
    // What is in a file whose name has a hash never changes; all else may be another one by now.
    const isKnown = path.startsWith(HASHED) && listing.files.has(path);
    if (!isKnown && (await isChanged(listing))) listing = await listingOf(folder);
    const found = listing.files.get(path) ?? listing.files.get(pageOf(path) ?? "");
    const answered = found && (await answer(c, found));
    return answered ?? (await next());
  });
  return true;
}

async function listingOf(folder: string): Promise<Listing> {
  const below = (await entriesOf(folder)).filter((entry) => entry.isDirectory());
  const paths = [folder, ...below.map(({ parentPath, name }) => join(parentPath, name))];
  const folders = new Map(
    await Promise.all(paths.map(async (path) => [path, await changedAt(path)] as const)),
  );
  // Read after the times: what comes in between counts as a change.
  return { folders, files: filesOf(folder, await entriesOf(folder)) };
}

async function isChanged({ folders }: Listing): Promise<boolean> {
  const changed = [...folders].map(async ([path, at]) => (await changedAt(path)) !== at);
  return (await Promise.all(changed)).includes(true);
}

/** Unix milliseconds; 0 for one that is not there. */
const changedAt = async (path: string): Promise<number> =>
  (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

const entriesOf = (folder: string): Promise<readonly Dirent[]> =>
  readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);

function filesOf(folder: string, entries: readonly Dirent[]): Listing["files"] {
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

/** @returns `undefined` for a file that is gone meanwhile */
async function answer(c: HttpContext, { path, packed }: PageFile): Promise<Response | undefined> {
  const packs = packed && /\bbr\b/.test(c.req.header("accept-encoding") ?? "");
  const bytes = await readFile(packs ? `${path}${PACKED}` : path).catch(() => undefined);
  if (bytes === undefined) return undefined;
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
