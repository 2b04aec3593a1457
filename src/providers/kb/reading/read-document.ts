import { toolFailed } from "../../../shared/errors/host-error.ts";
import { decodeText } from "../../web/charset.ts";
import { mediaKind } from "../../web/media-kind.ts";
import { LONGEST_PAGE, type Page } from "../../web/reader/page.ts";
import type { ReadDocument } from "../documents.ts";
import { cutPieces } from "../pieces.ts";
import type { ReadingRequest } from "./request.ts";
import { checkZip } from "./zip-check.ts";

/**
 * Takes the text out of a document and cuts it.
 *
 * @throws HostError `tool_failed` with the reason, as the end of a sentence about it
 */
export async function readDocument(request: ReadingRequest): Promise<ReadDocument> {
  const { title, text: found, note } = await pageOf(request);
  const text = found.replaceAll(CONTROLS, "").toWellFormed();
  const pieces = cutPieces(text);
  if (pieces.length === 0) throw toolFailed("it holds no text");
  const characters = text.length;
  const said = oneLine(title) || oneLine(titleIn(text));
  return {
    title: said.slice(0, LONGEST_TITLE).toWellFormed(),
    characters,
    pieces,
    ...(note !== undefined && { note }),
  };
}

/** Characters that no text has: they come from what is none. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]/g;

/** A title stands in lines that programs and models read. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll(CONTROLS, "").trim();

const LONGEST_TITLE = 300;
/** Characters of HTML; more of it is nothing that anybody would read. */
const LONGEST_HTML = 5_000_000;

/** The first heading of the highest level, or the one with which it begins. */
function titleIn(text: string): string {
  const head = text.slice(0, 4000);
  const found = /^#[ \t]+(.+)$/m.exec(head) ?? /^\s*#{2,6}[ \t]+(.+)$/m.exec(head.slice(0, 400));
  return found?.[1]?.trim() ?? "";
}

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

async function pageOf({ name, mediaType, bytes, limits }: ReadingRequest): Promise<Page> {
  const bare = mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (bare === DOCX || startsWith(bytes, "PK\u0003\u0004")) {
    checkZip(bytes, limits.unpackedBytes);
    return await (await import("./read-docx.ts")).readDocx(bytes);
  }
  const said = bare || (/\.x?html?$/i.test(name) ? "text/html" : "");
  switch (mediaKind(said, bytes)) {
    case "pdf":
      return await lastOf(
        (await import("../../web/reader/read-pdf.ts")).readPdf({
          kind: "pdf",
          bytes,
          mostPages: limits.pages,
        }),
      );
    case "html": {
      const html = decodeText(bytes, mediaType);
      if (html.length > LONGEST_HTML)
        throw toolFailed(`it has ${html.length} characters of HTML; at most ${LONGEST_HTML} are read`);
      const url = URL.canParse(name) ? name : "about:blank";
      return await lastOf(
        (await import("../../web/reader/read-html.ts")).readHtml({ kind: "html", html, url }),
      );
    }
    case "text": {
      const text = decodeText(bytes, mediaType);
      const isLong = text.length > LONGEST_PAGE;
      const note = `the first ${LONGEST_PAGE} of ${text.length} characters`;
      return { title: "", text: text.slice(0, LONGEST_PAGE), ...(isLong && { note }) };
    }
    case "image":
      throw toolFailed("it is an image; only text is read");
    case "binary":
      throw toolFailed("it is no Markdown, text, HTML, PDF or DOCX");
  }
}

const startsWith = (bytes: Uint8Array, text: string): boolean =>
  Buffer.from(bytes.subarray(0, text.length)).toString("latin1") === text;

/** What was read in the end: earlier states are for those who cannot wait. */
async function lastOf(pages: Iterable<Page> | AsyncIterable<Page>): Promise<Page> {
  let last: Page = { title: "", text: "" };
  for await (const page of pages) last = page;
  return last;
}
