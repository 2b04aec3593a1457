import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { docxOf, pdfOf } from "./documents-of-tests.ts";

/** A book of real manuals, as a file of one of the kinds that are read. */
export interface Book {
  readonly name: string;
  readonly bytes: Buffer;
}

const ROOT = join(import.meta.dirname, "../../..");
const LINES_A_PAGE = 45;

/**
 * Books made of the manuals that this machine has: the packages' own Markdown and this project's, then the manual pages of
 * the system. Markdown, HTML, PDF, DOCX and text take turns.
 *
 * @param size - characters of a book, about
 */
export function* books(size: number): Generator<Book, void, undefined> {
  let chapters: string[] = [];
  let length = 0;
  let nth = 0;
  for (const chapter of manuals()) {
    chapters.push(chapter);
    length += chapter.length;
    if (length < size) continue;
    nth += 1;
    yield bound(nth, chapters.join("\n\n"));
    chapters = [];
    length = 0;
  }
}

function* manuals(): Generator<string, void, undefined> {
  const markdown = ["docs/*.md", "node_modules/*/README.md", "node_modules/@*/*/README.md"];
  for (const file of globSync(markdown, { cwd: ROOT }).toSorted())
    yield readFileSync(join(ROOT, file), "utf8");
  for (const file of globSync("/usr/share/man/man[1-8]/*.gz").toSorted())
    yield fromManualPage(gunzipSync(readFileSync(file)).toString("utf8"));
}

/** The text of a manual page with its headings as Markdown has them. */
function fromManualPage(page: string): string {
  const lines = page.split("\n").flatMap((line) => {
    const [, macro = "", rest = ""] = /^[.'](\S*) ?(.*)$/.exec(line) ?? [];
    const said = plain(macro === "" ? line : rest);
    switch (macro) {
      case "":
        return line.startsWith(".") || line.startsWith("'") ? [] : [said];
      case "TH":
      case "Dt":
        return [`# ${said.split(" ").slice(0, 2).join(" ")}`, ""];
      case "SH":
      case "Sh":
        return ["", `## ${said.replaceAll('"', "")}`, ""];
      case "SS":
      case "Ss":
        return ["", `### ${said.replaceAll('"', "")}`, ""];
      case "PP":
      case "P":
      case "TP":
      case "IP":
      case "Pp":
        return [""];
      default:
        return /^(?:B|I|BR|IR|RB|RI|BI|IB|Nm|Fl|Ar|Nd|Xr)$/.test(macro) ? [said] : [];
    }
  });
  return lines.join("\n");
}

const plain = (text: string): string =>
  text
    .replaceAll(/\\f(?:\[\w*\]|\(..|.)|\\[|&^%c/]|\\s[+-]?\d/g, "")
    .replaceAll(/\\(?:-|\(hy)/g, "-")
    .replaceAll(/\\(?:\[\w+\]|\(..|\*.|.)/g, " ");

const KINDS: readonly ((markdown: string) => readonly [ending: string, bytes: Buffer])[] = [
  (markdown) => ["md", Buffer.from(markdown)],
  (markdown) => ["html", Buffer.from(asHtml(markdown))],
  (markdown) => ["pdf", pdfOf(pagesOf(markdown))],
  (markdown) => ["docx", docxOf(markdown.split("\n").filter(isSaid).map(escaped))],
  (markdown) => ["txt", Buffer.from(markdown.replaceAll(/^#+ /gm, ""))],
];

function bound(nth: number, markdown: string): Book {
  const [ending, bytes] = (KINDS[nth % KINDS.length] ?? (() => ["md", Buffer.from(markdown)] as const))(
    markdown,
  );
  return { name: `book-${nth}.${ending}`, bytes };
}

const isSaid = (line: string): boolean => line.trim() !== "";

const escaped = (text: string): string =>
  text
    // XML has none of them.
    .replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;");

function asHtml(markdown: string): string {
  const parts = escaped(markdown)
    .split(/\n{2,}|\n(?=#)/)
    .map((part) => {
      const [, mark = "", said = ""] = /^(#{1,6}) (.*)$/.exec(part) ?? [];
      return mark === "" ? `<p>${part}</p>` : `<h${mark.length}>${said}</h${mark.length}>`;
    });
  return `<!doctype html><html><body><article>${parts.join("\n")}</article></body></html>`;
}

function pagesOf(markdown: string): readonly string[] {
  const lines = markdown
    .replaceAll(/[^\n\u0020-\u007e\u00a1-\u00ff]/g, " ")
    .split("\n")
    .filter(isSaid);
  return Array.from({ length: Math.ceil(lines.length / LINES_A_PAGE) }, (_, page) =>
    lines.slice(page * LINES_A_PAGE, (page + 1) * LINES_A_PAGE).join("\n"),
  );
}
