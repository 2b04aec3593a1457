import { HostError, toolFailed } from "../../shared/errors/host-error.ts";
import { decodeText } from "./charset.ts";
import { mediaKind } from "./media-kind.ts";
import type { ReadPage } from "./page-cache.ts";
import type { WebAnswer, WebFetcher } from "./ports.ts";
import { LONGEST_PAGE } from "./reader/page.ts";
import type { PageReader } from "./reader/page-reader.ts";

const LARGEST = 20 * 2 ** 20;
const TIMEOUT_MS = 30_000;
/** Characters of an HTML page; more of one is nothing that anybody would read. */
const LONGEST_HTML = 5_000_000;

const ACCEPT =
  "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.9,application/pdf;q=0.9,*/*;q=0.5";

/** The services that read a page. */
export interface PageSource {
  readonly fetcher: WebFetcher;
  readonly reader: PageReader;
  /** Whether a redirect may lead to another host. */
  readonly mayReach: (host: string) => boolean;
}

/**
 * Fetches an address and gives what it says as text.
 *
 * @throws HostError `fetch_refused`, `fetch_failed`, `interrupted`; `tool_failed` for what cannot be shown as text
 */
export async function readPage(
  url: string,
  { fetcher, reader, mayReach }: PageSource,
  signal: AbortSignal,
): Promise<ReadPage> {
  const limits = { maxBytes: LARGEST, timeoutMs: TIMEOUT_MS };
  const request = { url, signal, ...limits, mayReach, headers: { accept: ACCEPT } };
  const answer = await fetcher.fetch(request);
  if (answer.status < 200 || answer.status > 299) throw refused(answer);
  try {
    return { url: answer.url, ...(await pageOf(answer, reader, signal)) };
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.code !== "tool_failed") throw thrown;
    throw toolFailed(`${answer.url} cannot be shown: ${thrown.message}.`, thrown);
  }
}

async function pageOf(
  { url, mediaType, headers, bytes }: WebAnswer,
  reader: PageReader,
  signal: AbortSignal,
): Promise<Omit<ReadPage, "url">> {
  const contentType = headers["content-type"] ?? "";
  switch (mediaKind(mediaType, bytes)) {
    case "html": {
      const html = decodeText(bytes, contentType).slice(0, LONGEST_HTML);
      return await reader.read({ kind: "html", html, url }, signal);
    }
    case "pdf":
      return await reader.read({ kind: "pdf", bytes }, signal);
    case "text": {
      const text = decodeText(bytes, contentType);
      return { title: "", text: text.slice(0, LONGEST_PAGE), note: mediaType || "text" };
    }
    case "image":
      throw toolFailed(`it is an image (${mediaType}); view_image shows images`);
    case "binary":
      throw toolFailed(`it is no text but ${mediaType || "binary data"}, ${bytes.length} bytes`);
  }
}

function refused({ url, status, headers }: WebAnswer): HostError {
  const wait = headers["retry-after"];
  const reason = REASONS[status] ?? (status >= 500 ? "its server has failed" : "it gives nothing to read");
  const later =
    wait === undefined
      ? ""
      : ` Its server says: try again after ${wait.slice(0, 40)}${/^\d+$/.test(wait) ? " s" : ""}.`;
  return new HostError("fetch_failed", `${url} answered ${status}: ${reason}.${later}`, {
    details: { status },
  });
}

const REASONS: Readonly<Record<number, string>> = {
  401: "it asks for a login",
  402: "it asks to be paid",
  403: "its server does not let us read it",
  404: "there is no such page",
  410: "the page is gone",
  429: "its server has had too many requests",
  451: "it is withheld for legal reasons",
};
