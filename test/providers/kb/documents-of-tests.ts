import { crc32, deflateRawSync } from "node:zlib";

/** A ZIP file, packed. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const raw = Buffer.from(content);
    const data = deflateRawSync(raw);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(8, 4);
    about.writeUInt32LE(crc32(raw), 10);
    about.writeUInt32LE(data.length, 14);
    about.writeUInt32LE(raw.length, 18);
    about.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), about, Buffer.from(name), data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    const head = Buffer.from("PK\u0001\u0002\u0014\u0000");
    central.push(Buffer.concat([head, about, rest, Buffer.from(name)]));
    locals.push(local);
    at += local.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(locals.length, 4);
  end.writeUInt16LE(locals.length, 6);
  end.writeUInt32LE(Buffer.concat(central).length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, ...central, Buffer.from("PK\u0005\u0006"), end]);
}

const TYPES = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
const RELATIONS = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;

/** A DOCX file of headings and paragraphs; `before` stands in front of its root. */
export function docxOf(lines: readonly string[], before = ""): Buffer {
  const body = lines.map((line) => {
    const [, mark = "", said = ""] = /^(#*) ?(.*)$/.exec(line) ?? [];
    const style = mark === "" ? "" : `<w:pPr><w:pStyle w:val="Heading${mark.length}"/></w:pPr>`;
    return `<w:p>${style}<w:r><w:t>${said}</w:t></w:r></w:p>`;
  });
  const document = `<?xml version="1.0"?>${before}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body.join("")}</w:body></w:document>`;
  return zipOf({ "[Content_Types].xml": TYPES, "_rels/.rels": RELATIONS, "word/document.xml": document });
}

/** A PDF with some lines on each of its pages. */
export function pdfOf(pages: readonly string[]): Buffer {
  const kids = pages.map((_, page) => `${4 + 2 * page} 0 R`).join(" ");
  return pdfOfObjects([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((lines, page) => {
      const shown = lines.split("\n").map((line) => `(${line.replaceAll(/[\\()]/g, "\\$&")}) Tj T*`);
      const said = `BT /F1 12 Tf 14 TL 72 720 Td ${shown.join("\n")} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * page} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${said.length} >>\nstream\n${said}\nendstream`,
      ];
    }),
  ]);
}

/** A PDF of objects, the first of which is its catalog. @param trailer - more entries of the trailer */
export function pdfOfObjects(objects: readonly string[], trailer = ""): Buffer {
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer << /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}
