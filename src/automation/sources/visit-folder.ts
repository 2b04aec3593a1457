import { realpath, stat } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import type { DocumentPlace } from "../../providers/kb/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { visibleInLine } from "../../shared/text/visible.ts";
import { counted } from "../../shared/text/counted.ts";
import { defined } from "../../shared/json/defined.ts";
import { type FolderFile, type FolderListing, listFolder, fileLook } from "./list-folder.ts";
import { readFileBelow, fileStamp, fileTooLarge, whyUnread } from "./read-file.ts";
import type { SeenDocument } from "./source.ts";
import { problemOf, type SourceVisit, type VisitEnd, type VisitParts } from "./source-visit.ts";

/** Reads what has changed in a folder; documents whose files went away leave the knowledge base. */
export async function visitFolder(visit: SourceVisit): Promise<VisitEnd> {
  const { source, signal } = visit;
  let root: string;
  let listing: FolderListing;
  try {
    root = await realpath(source.location);
    listing = await listFolder(root, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    return { problem: `${source.location} cannot be read: ${whyUnread(thrown)}. What was read of it stays.` };
  }
  const { files, isCut, closed } = listing;
  const excluded = new Set(source.excluded);
  const wanted = files.filter(({ path }) => !excluded.has(path));
  await readFiles(visit, root, wanted);
  const there = new Set(wanted.map(({ path }) => path));
  const isKept = (origin: string): boolean =>
    there.has(origin) || isCut || closed.some((folder) => origin.startsWith(`${folder}${sep}`));
  await removeGone(visit, isKept);
  const problem = isCut
    ? `It has more than ${files.length} documents; the others are left out. Add its folders one by one.`
    : undefined;
  return defined({ leftOut: leftOutWords(listing), problem });
}

/** Reads a file by itself, if it has changed. */
export async function visitFile(visit: SourceVisit): Promise<VisitEnd> {
  const { location } = visit.source;
  try {
    const path = await realpath(location);
    const look = await stat(path);
    const file = { path, name: basename(location), ...fileLook(look) };
    await readFiles(visit, dirname(path), [file]);
    await removeGone(visit, (origin) => origin === path);
    return {};
  } catch (thrown) {
    const problem = problemOf(thrown, visit.signal);
    if ((await stat(location).catch(() => undefined)) !== undefined) return { problem };
    await removeGone(visit, () => false);
    return { problem: `${location} is not there any more: it left the knowledge base.` };
  }
}

/** A file that is read by itself, for the knowledge base. */
export interface OneFile extends Pick<DocumentPlace, "collection" | "source"> {
  /** Absolute. */
  readonly path: string;
  /** The name of the document; that of the file by default. */
  readonly name?: string;
  /** Also when it has not changed. */
  readonly again?: boolean;
}

/** Reads a file by itself. @throws HostError `invalid_params` when it is not there */
export async function readOneFile(
  { path: given, name = basename(given), again = false, ...place }: OneFile,
  { library, clock, signal }: Pick<VisitParts, "library" | "clock" | "signal">,
): Promise<SeenDocument> {
  const { path, look } = await lookAt(given);
  const file = { path, name, ...fileLook(look), stamp: fileStamp(look, clock.now()) };
  return await readInto(library, { ...place, file, root: dirname(path), again, signal });
}

async function lookAt(given: string) {
  try {
    const path = await realpath(given);
    return { path, look: await stat(path) };
  } catch (thrown) {
    throw new HostError("invalid_params", `${visibleInLine(given)} cannot be read: ${whyUnread(thrown)}.`, {
      cause: thrown,
    });
  }
}

async function readFiles(visit: SourceVisit, root: string, files: readonly FolderFile[]): Promise<void> {
  const { source, library, again, clock, signal } = visit;
  const { id, collection } = source;
  const known = new Map((await library.known(source.id)).map((each) => [each.origin, each]));
  visit.counted(files.length);
  for (const file of files) {
    signal.throwIfAborted();
    const stamp = fileStamp(file, clock.now());
    const before = known.get(file.path);
    const isAsBefore = stamp !== undefined && before?.stamp === stamp && before.state !== "reading";
    if (isAsBefore && !again)
      await visit.seen({ id: before.id, name: file.name, origin: file.path, outcome: "unchanged" });
    else {
      const one = { collection, source: id, root, file: { ...file, stamp }, again, signal };
      await visit.seen(await readInto(library, one));
    }
  }
}

interface FileToRead extends Pick<DocumentPlace, "collection" | "source"> {
  readonly root: string;
  readonly file: FolderFile & { readonly stamp: string | undefined };
  readonly again: boolean;
  readonly signal: AbortSignal;
}

async function readInto(
  library: VisitParts["library"],
  { root, file: { path, name, size, stamp }, again, signal, collection, source }: FileToRead,
): Promise<SeenDocument> {
  const place = { collection, name, origin: path, ...defined({ source, stamp }) };
  try {
    const { bytes: most } = library.limits;
    if (size > most) throw fileTooLarge(size, most);
    const bytes = await readFileBelow(root, path, most);
    return { name, origin: path, ...(await library.add({ ...place, bytes, again }, signal)) };
  } catch (thrown) {
    const problem = problemOf(thrown, signal);
    return { name, origin: path, ...(await library.refuse({ ...place, bytes: size }, problem)) };
  }
}

async function removeGone(
  { library, source, seen }: SourceVisit,
  isKept: (origin: string) => boolean,
): Promise<void> {
  const gone = (await library.known(source.id)).filter(({ origin }) => !isKept(origin));
  await library.remove(gone.map(({ id }) => id));
  for (const { id, origin } of gone) await seen({ id, name: origin, origin, outcome: "removed" });
}

function leftOutWords({ links, otherKinds, closed }: FolderListing): string | undefined {
  const parts = [
    links > 0 ? counted(links, "link") : "",
    otherKinds > 0 ? `${counted(otherKinds, "file")} of other kinds` : "",
    closed.length > 0 ? `${counted(closed.length, "folder")} that cannot be read` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? undefined : parts.join(", ");
}
