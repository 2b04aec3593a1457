import { getDocumentProxy } from "unpdf";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import { LONGEST_PAGE, type Page, type PageRequest } from "./page.ts";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/**
 * Gives the text of a PDF as far as it was read, whenever it has doubled, and at its end.
 *
 * @throws HostError `tool_failed` for what is no PDF, is locked, or has too many pages
 */
export async function* readPdf({
  bytes,
  mostPages = Infinity,
}: Extract<PageRequest, { kind: "pdf" }>): AsyncGenerator<Page> {
  const pdf = await open(bytes);
  const { numPages: all } = pdf;
  if (all > mostPages) throw toolFailed(`it is a PDF of ${all} pages; at most ${mostPages} are read`);
  const title = await titleOf(pdf);
  const texts: string[] = [];
  let size = 0;
  let shown = 0;
  const soFar = (): Page => {
    const pages = all === 1 ? "1 page" : `${all} pages`;
    const note = texts.length === all ? `PDF, ${pages}` : `PDF, the first ${texts.length} of ${pages}`;
    return { title, text: texts.join("\n\n").slice(0, LONGEST_PAGE), note };
  };
  for (let number = 1; number <= all && size < LONGEST_PAGE; number += 1) {
    const text = await textOf(pdf, number);
    texts.push(`[Page ${number}]\n${text}`);
    size += text.length;
    if (size <= 2 * shown) continue;
    shown = size;
    yield soFar();
  }
  if (size === 0) throw toolFailed(`it is a PDF that holds no text, perhaps only pictures of it`);
  yield soFar();
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(bytes, { verbosity: 0, disableFontFace: true, useSystemFonts: false });
  } catch (cause) {
    const isLocked = cause instanceof Error && cause.name === "PasswordException";
    const why = isLocked ? "it is a PDF that needs a password" : "it is a damaged PDF";
    throw toolFailed(why, cause);
  }
}

async function textOf(pdf: Pdf, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items
    .map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""))
    .join("")
    .trim();
}

async function titleOf(pdf: Pdf): Promise<string> {
  const { info } = await pdf.getMetadata();
  const title: unknown = "Title" in info ? info.Title : undefined;
  return typeof title === "string" ? title.trim() : "";
}
