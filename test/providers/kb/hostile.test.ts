import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { type KbOptions, openKb } from "../../../src/providers/kb/index.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { docxOf, pdfOf, pdfOfObjects } from "./documents-of-tests.ts";

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

/** Reads one document as it would be added, and gives what became of it with its text. */
async function read(name: string, bytes: string | Buffer, limits?: KbOptions["limits"]) {
  const home = mkdtempSync(join(tmpdir(), "agent-kb-"));
  homes.push(home);
  await using kb = openKb({ home, clock: systemClock, ...(limits && { limits }) });
  const given = { collection: "c", name, origin: `upload:${name}`, bytes: Buffer.from(bytes) };
  const { id, outcome, problem } = await kb.add(given, new AbortController().signal);
  if (problem !== undefined) return { outcome, problem, text: "", title: "", note: "" };
  const { document, pieces } = await kb.passage({ id, from: 1, characters: 100_000 });
  const { title, note = "" } = document;
  return { outcome, problem, title, note, text: pieces.map((piece) => piece.text).join("\n") };
}

/** A page whose content is packed. */
const packedPdf = (content: Buffer): Buffer => {
  const packed = deflateSync(content).toString("latin1");
  return pdfOfObjects([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
    `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed}\nendstream`,
  ]);
};

test("what eats memory ends its thread, in and out of the heap, and the process goes on", async () => {
  const small = { megabytes: 64 };
  const tooMuch = { outcome: "failed", problem: "it takes more than 64 MB of memory to read" };
  expect(await read("unpacks.pdf", packedPdf(Buffer.alloc(200 * 2 ** 20, " ")), small)).toMatchObject(
    tooMuch,
  );
  const many = Array.from({ length: 40_000 }, (_, line) => `Paragraph ${line}`);
  expect(await read("long.docx", docxOf(many), small)).toMatchObject(tooMuch);
  expect(await read("plain.md", "# Plain\n\nwords", small)).toMatchObject({ outcome: "read", text: "words" });
});

test("10,000 pages are refused in words, and a line of 50 MB is read as far as any is", async () => {
  const pages = Array.from({ length: 10_000 }, (_, page) => `Page ${page}`);
  expect(await read("all.pdf", pdfOf(pages))).toMatchObject({
    problem: "it is a PDF of 10000 pages; at most 2000 are read",
  });
  expect(await read("line.txt", Buffer.alloc(50 * 2 ** 20, "word "))).toMatchObject({
    outcome: "read",
    note: "the first 2000000 of 52428800 characters",
  });
  expect(await read("deep.html", "<div>".repeat(200_000) + "deep")).toMatchObject({
    outcome: "read",
    text: expect.stringContaining("deep"),
  });
});

test("scripts of HTML and PDF are neither run nor text, and what nobody sees of a page is not read", async () => {
  const { text, outcome } = await read(
    "page.html",
    `<html><head><title>Ti\ntle\u0007</title><script>globalThis.ran = "scripted"</script></head><body onload="scripted()">
     <p>Seen words. ${"More of them. ".repeat(30)}</p><p hidden>scripted: obey</p><noscript>scripted</noscript>
     <iframe srcdoc="<script>scripted</script>"></iframe><svg><script>scripted</script></svg><a href="javascript:scripted()">link</a></body></html>`,
  );
  expect([outcome, text.includes("Seen words"), text.includes("scripted")]).toEqual(["read", true, false]);
  const said = "BT /F1 12 Tf 72 720 Td (Seen words) Tj ET";
  const pdf = pdfOfObjects([
    "<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\('scripted'\\)) >> >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /AA << /O << /S /JavaScript /JS (scripted) >> >> >>",
    `<< /Length ${said.length} >>\nstream\n${said}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ]);
  expect(await read("form.pdf", pdf)).toMatchObject({ outcome: "read", text: "[Page 1]\nSeen words" });
});

test("locked, misnamed, empty and binary files are read for what they are, or refused in words", async () => {
  const locked = pdfOfObjects(
    ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"],
    `/Encrypt << /Filter /Standard /V 1 /R 2 /P -64 /O (${"o".repeat(32)}) /U (${"u".repeat(32)}) >> /ID [(a) (a)]`,
  );
  const problems = await Promise.all(
    Object.entries({
      "locked.pdf": locked,
      "nothing.pdf": "",
      "blank.html": "<html><body> </body></html>",
      "random.md": Buffer.from([0, 159, 146, 150, 0, 255]),
      "archive.docx": Buffer.from("PK\u0003\u0004 and no more"),
    }).map(async ([name, bytes]) => (await read(name, bytes)).problem),
  );
  expect(problems).toEqual([
    "it is a PDF that needs a password",
    "it holds no text",
    "it holds no text",
    "it is no Markdown, text, HTML, PDF or DOCX",
    "it is damaged",
  ]);
  expect(await read("notes.pdf", "# Notes\n\nplain")).toMatchObject({ title: "Notes", text: "plain" });
  expect(await read("notes.md", pdfOf(["Paged"]))).toMatchObject({ note: "PDF, 1 page" });
  expect(await read("notes.txt", docxOf(["# Worded", "text"]))).toMatchObject({ title: "Worded" });
  const late = `${"words ".repeat(1000)}\0\u0008 zebra \ud800`;
  expect((await read("late.txt", late)).text).toMatch(/words {2}zebra \ufffd$/);
});
