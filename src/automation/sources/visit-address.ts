import type { Fetched } from "../../providers/fetch/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { problemOf, type SourceVisit, type VisitEnd } from "./source-visit.ts";

const TIMEOUT_MS = 60_000;
const ACCEPT =
  "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5";

/** Reads what an address holds, if it has changed. One that says that it is gone leaves the knowledge base. */
export async function visitAddress(visit: SourceVisit): Promise<VisitEnd> {
  const { source, library, fetcher, signal, again } = visit;
  const { id, location: url, collection } = source;
  const [before] = await library.known(id);
  visit.counted(1);
  const place = { collection, name: url, origin: url, source: id };
  try {
    const asked = again || before?.state === "reading" ? {} : conditionsOf(before?.stamp);
    const headers = { accept: ACCEPT, ...asked };
    const limits = { maxBytes: library.limits.bytes, timeoutMs: TIMEOUT_MS };
    const answer = await fetcher.fetch({ url, headers, signal, ...limits });
    if (answer.status === 304 && before !== undefined) {
      await visit.seen({ id: before.id, name: url, origin: url, outcome: "unchanged" });
      return {};
    }
    if (answer.status === 404 || answer.status === 410) {
      if (before === undefined) await refuse(`it answered ${answer.status}: there is no such page`);
      else {
        await library.remove([before.id]);
        await visit.seen({ id: before.id, name: url, origin: url, outcome: "removed" });
      }
      return { problem: `${url} answered ${answer.status}: there is no such page any more.` };
    }
    if (answer.status < 200 || answer.status > 299) {
      await refuse(`it answered ${answer.status}${REASONS[answer.status] ?? ""}`);
      return {};
    }
    const mediaType = answer.headers["content-type"] ?? "";
    const given = { ...place, bytes: answer.bytes, mediaType, again, ...pageStamp(answer) };
    await visit.seen({ name: url, origin: url, ...(await library.add(given, signal)) });
  } catch (thrown) {
    await refuse(problemOf(thrown, signal));
  }
  return {};

  async function refuse(problem: string): Promise<void> {
    await visit.seen({ name: url, origin: url, ...(await library.refuse(place, problem)) });
  }
}

const REASONS: Readonly<Record<number, string>> = {
  401: ": it asks for a login",
  403: ": its server does not let this program read it",
  429: ": its server has had too many requests",
};

/** How a server tells whether a page has changed. */
interface PageVersion {
  readonly etag?: string;
  readonly modified?: string;
}

function pageStamp({ headers }: Fetched): { readonly stamp?: string } {
  const version: PageVersion = defined({ etag: headers["etag"], modified: headers["last-modified"] });
  return Object.keys(version).length === 0 ? {} : { stamp: JSON.stringify(version) };
}

function conditionsOf(stamp: string | undefined): Readonly<Record<string, string>> {
  if (stamp === undefined) return {};
  // Only `pageStamp` writes stamps of addresses.
  const { etag, modified } = JSON.parse(stamp) as PageVersion;
  return defined({ "if-none-match": etag, "if-modified-since": modified });
}
