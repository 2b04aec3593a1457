import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Kb, type KbOptions, openKb } from "../../../src/providers/kb/index.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { handClock } from "../../kit/clock.ts";
import { testDatabase, testPostgres } from "../../kit/postgres/index.ts";
import { docxOf, pdfOf, zipOf } from "./documents-of-tests.ts";

const { signal } = new AbortController();

type Opened = (limits?: KbOptions["limits"], clock?: KbOptions["clock"]) => Kb;

/** A home whose knowledge base any number of processes open. */
interface KbHome extends AsyncDisposable {
  readonly open: Opened;
}

const opener =
  (place: Pick<KbOptions, "home" | "url">): Opened =>
  (limits, clock = systemClock) =>
    openKb({ ...place, clock, ...(limits && { limits }) });

const folder = (): string => mkdtempSync(join(tmpdir(), "agent-kb-"));
const removed = (home: string) => () => Promise.resolve(rmSync(home, { recursive: true, force: true }));

const isShared = (await testPostgres()) !== undefined;
const HOMES: Readonly<Record<string, () => Promise<KbHome>>> = {
  "in the home": () => {
    const home = folder();
    return Promise.resolve({ open: opener({ home }), [Symbol.asyncDispose]: removed(home) });
  },
  "in a database that machines share": async () => {
    const database = await testDatabase();
    return {
      open: opener({ home: "/nowhere", url: database.url }),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    };
  },
};

const add = (kb: Kb, name: string, bytes: string | Uint8Array) =>
  kb.add(
    {
      collection: name.endsWith("文.txt") ? "chinese" : "handbook",
      name,
      origin: `upload:${name}`,
      bytes: Buffer.from(bytes),
    },
    signal,
  );

const HTML = `<html><head><title>Travel</title><script>alert("scripted")</script></head><body><article><h1>Travel</h1><h2>Trains</h2><p>${"Employees ride trains of second class. ".repeat(40)}</p></article></body></html>`;

describe.each(Object.entries(HOMES).slice(0, isShared ? 2 : 1))("documents %s", (_where, newHome) => {
  test("text, HTML, PDF and DOCX are read, found under their headings, and gone when they are removed", async () => {
    await using home = await newHome();
    await using kb = home.open();
    const added = [
      await add(
        kb,
        "rules.md",
        "# Rules\n\n## Holidays\n\nThirty days a year.\n\n```\n# no heading\n```\n\n## Sickness\n\nCall before nine.",
      ),
      await add(kb, "travel.html", HTML),
      await add(kb, "canteen.pdf", pdfOf(["Lunch is served at noon.", "Supper is not."])),
      await add(
        kb,
        "guests.docx",
        docxOf(["# Guests", "Visitors sign at the porter.", "## Parking", "Behind the barn."]),
      ),
      await add(kb, "中文.txt", "公司的假期政策是每年三十天"),
    ];
    expect(added.map(({ outcome, problem }) => problem ?? outcome)).toEqual(Array.from(added, () => "read"));
    const ask = async (words: string, collections?: readonly string[]) =>
      (await kb.search({ words, limit: 3, ...(collections && { collections }) })).map(
        ({ title, heading }) => `${title}: ${heading}`,
      );
    expect(await ask("how many days of HOLIDAY, of holidays?")).toContain("Rules: Rules › Holidays");
    expect(await ask("may employees ride trains")).toEqual(["Travel: Trains"]);
    expect(await ask("scripted")).toEqual([]);
    expect(await ask("supper")).toEqual(["canteen.pdf: "]);
    expect(await ask("where is parking for visitors, behind a barn")).toContain("Guests: Guests › Parking");
    expect(await ask("假期政策")).toEqual(["中文.txt: "]);
    expect(await ask("假期政策", ["handbook"])).toEqual([]);
    expect((await kb.documents("handbook")).find(({ name }) => name === "canteen.pdf")?.note).toBe(
      "PDF, 2 pages",
    );
    expect(await add(kb, "canteen.pdf", pdfOf(["Lunch is served at noon.", "Supper is not."]))).toMatchObject(
      {
        outcome: "unchanged",
      },
    );

    const rules = added[0]?.id ?? "";
    const passage = await kb.passage({ id: rules, from: 1, characters: 1000 });
    expect(passage.pieces.map(({ heading }) => heading)).toEqual(["Rules › Holidays", "Rules › Sickness"]);
    await expect(
      kb.passage({ id: rules, from: 1, characters: 10, collections: ["chinese"] }),
    ).rejects.toThrow(/no document/);
    expect(await kb.remove([rules, "d_none"])).toEqual([rules]);
    expect(await ask("holidays sickness")).toEqual([]);
    await expect(kb.passage({ id: rules, from: 1, characters: 10 })).rejects.toThrow(/may have been removed/);

    expect(await kb.hasDocuments()).toBe(true);
    await kb.remove((await kb.documents()).map(({ id }) => id));
    expect(await kb.collections()).toEqual([]);
    expect(await kb.hasDocuments()).toBe(false);
  });

  test("a document that is removed while it is read stays removed, and a second process sees it at once", async () => {
    await using home = await newHome();
    await using kb = home.open();
    await using other = home.open();
    const adding = add(kb, "big.md", "# Zebra\n\nStripes everywhere.\n\n".repeat(5000));
    await expect.poll(async () => (await other.documents()).length).toBe(1);
    const [document] = await other.documents();
    await other.remove([document?.id ?? ""]);
    const { outcome } = await adding;
    expect(["gone", "read"]).toContain(outcome);
    expect(await kb.search({ words: "zebra", limit: 3 })).toEqual([]);
    expect(await kb.documents()).toEqual([]);
  });

  test("hostile documents are refused in words, and the earlier text stays", async () => {
    await using home = await newHome();
    await using kb = home.open({ unpackedBytes: 2 ** 20, bytes: 2 ** 20, pages: 20 });
    const laughs = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "${"&a;".repeat(100)}">]>`;
    const refused: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
      "bomb.docx": [zipOf({ "word/document.xml": Buffer.alloc(20 * 2 ** 20) }), /unpacks to more than 1 MB/],
      "laughs.docx": [docxOf(["ha"], laughs), /declares entities/],
      "other.zip": [zipOf({ "a.txt": "a" }), /ZIP file of something else/],
      "cut.docx": [docxOf(["# Cut"]).subarray(0, 300), /damaged/],
      "long.pdf": [pdfOf(Array.from({ length: 21 }, () => "page")), /21 pages; at most 20/],
      "cut.pdf": [Buffer.from("%PDF-1.4 nothing"), /damaged PDF/],
      "large.txt": [Buffer.alloc(2 ** 20 + 1, "a "), /at most 1\.0 MB/],
      "program.bin": [Buffer.from([0, 1, 2, 3]), /no Markdown/],
      "empty.md": [Buffer.from("\n\n"), /no text/],
    };
    for (const [name, [bytes, problem]] of Object.entries(refused))
      expect(await add(kb, name, bytes), name).toMatchObject({
        outcome: "failed",
        problem: expect.stringMatching(problem),
      });
    expect((await kb.collections())[0]).toMatchObject({ documents: 9, failed: 9, pieces: 0 });

    await add(kb, "plan.docx", docxOf(["# Plan", "The earlier words."]));
    await add(kb, "plan.docx", docxOf(["# Plan", "Later words."], laughs));
    expect((await kb.documents()).find(({ name }) => name === "plan.docx")).toMatchObject({
      state: "ready",
      problem: expect.stringMatching(/entities/),
    });
    expect(await kb.search({ words: "earlier", limit: 3 })).toHaveLength(1);
  });

  test("a reading that takes too long is ended", async () => {
    const clock = handClock();
    await using home = await newHome();
    await using kb = home.open({ timeMs: 1000 }, clock);
    const adding = add(kb, "slow.md", "# Slow\n\nwords");
    await clock.untilPending();
    clock.advance(1000);
    expect(await adding).toMatchObject({
      outcome: "failed",
      problem: expect.stringMatching(/longer than 1 s/),
    });
  });
});
