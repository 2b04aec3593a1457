import mammoth from "mammoth";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import { toMarkdown } from "../../web/reader/markdown.ts";
import { outlineOf } from "../../web/reader/outline.ts";
import { LONGEST_PAGE, type Page } from "../../web/reader/page.ts";

/** More elements are not made into a tree. */
const MOST_ELEMENTS = 200_000;

/** Gives the text of a DOCX file whose content was checked. @throws HostError `tool_failed` */
export async function readDocx(bytes: Uint8Array): Promise<Page> {
  const html = await htmlOf(bytes);
  const { elements, text } = outlineOf(html);
  const whole = elements > MOST_ELEMENTS ? text : toMarkdown(html);
  const note = whole.length > LONGEST_PAGE ? `the first ${LONGEST_PAGE} characters` : undefined;
  return { title: "", text: whole.slice(0, LONGEST_PAGE), ...(note !== undefined && { note }) };
}

async function htmlOf(bytes: Uint8Array): Promise<string> {
  try {
    const convertImage = mammoth.images.imgElement(() => Promise.resolve({ src: "" }));
    const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage });
    return value;
  } catch (cause) {
    throw toolFailed("it is a damaged DOCX file, or a ZIP file of something else", cause);
  }
}
