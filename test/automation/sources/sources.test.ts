import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  SourceDocuments,
  SourceReader,
  SourceRecords,
  Sources,
  type SeenDocument,
} from "../../../src/automation/sources/index.ts";
import { guardedFetcher } from "../../../src/providers/fetch/index.ts";
import { type Kb, openKb } from "../../../src/providers/kb/index.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { LeavingRecords } from "../../kit/leaving-records.ts";
import { Machine } from "../../kit/machine.ts";
import { scriptedModel } from "../../kit/scripted-model.ts";
import { site } from "../../kit/site.ts";

const kept: string[] = [];
afterEach(() => {
  for (const folder of kept.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "agent-sources-"));
  kept.push(folder);
  return folder;
};

const HOUR = 3_600_000;

/** A process with a knowledge base that may read its sources. */
async function process(
  machine: Machine,
  home: string,
  {
    allow = [],
    meanwhile,
    on,
    full = new LeavingRecords(),
    report = (error: Error): void => {
      throw error;
    },
  }: {
    readonly allow?: readonly string[];
    readonly meanwhile?: (kb: Kb) => Promise<void>;
    readonly on?: string;
    readonly full?: LeavingRecords;
    readonly report?: (error: Error) => void;
  } = {},
) {
  const started = await machine.start(scriptedModel());
  const { host, store } = started;
  const { clock } = machine;
  const kb = openKb({ home, clock: systemClock });
  const records = new SourceRecords(full.of(store.records), on);
  const library = () => Promise.resolve(kb);
  const parts = { records, library, clock, zone: "UTC" };
  const sources = new Sources({ ...parts, hex: host.services.hex });
  const seen: string[] = [];
  let dead = false;
  const heard = (_source: unknown, { name, outcome, problem }: SeenDocument): void =>
    void seen.push(`${outcome} ${name}${problem === undefined ? "" : `: ${problem}`}`);
  const reading = {
    ...kb,
    async add(...given: Parameters<Kb["add"]>) {
      await meanwhile?.(kb);
      // What a process that was killed had begun comes to no end.
      if (dead) return await new Promise<never>(() => undefined);
      return await kb.add(...given);
    },
  };
  const reader = new SourceReader({
    ...parts,
    library: () => Promise.resolve(reading),
    fetcher: guardedFetcher({ clock: systemClock, allow }),
    report,
    heard,
  });
  return {
    kb,
    sources,
    reader,
    documents: new SourceDocuments({ ...parts, sources }),
    /** Looks once and gives what was done. */
    async settle() {
      await reader.pollOnce();
      await reader.idle();
      return seen.splice(0).toSorted();
    },
    die() {
      dead = true;
      started.die();
    },
    find: async (words: string) => (await kb.search({ words, limit: 9 })).map(({ title }) => title),
    close: async () => {
      await kb[Symbol.asyncDispose]();
      await host.close();
    },
  };
}

test("a folder is read on its schedule: only what changed, without links out of it, and what went away leaves", async () => {
  const [home, folder, outside] = [newFolder(), newFolder(), newFolder()];
  const machine = new Machine();
  const one = await process(machine, home);
  writeFileSync(join(outside, "secret.md"), "# Secret\n\nplutonium");
  writeFileSync(join(folder, "a.md"), "# Apples\n\nred");
  writeFileSync(join(folder, "b.md"), "# Berries\n\nblue");
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "sub", "odd\u0007 na\u202eme.html"), "<h1>Cherries</h1><p>sweet</p>");
  writeFileSync(join(folder, "photo.jpg"), "x");
  symlinkSync(join(outside, "secret.md"), join(folder, "secret.md"));
  symlinkSync(outside, join(folder, "out"));
  const { id } = await one.sources.add({ location: folder, collection: "fruit", every: "every 1h" });
  await expect(one.sources.add({ location: join(folder, "sub"), collection: "fruit" })).rejects.toThrow(
    /shares files/,
  );
  await expect(one.sources.add({ location: folder, collection: "x", every: "in 5m" })).rejects.toThrow(
    /one moment/,
  );
  await expect(one.sources.add({ location: join(folder, "none"), collection: "x" })).rejects.toThrow(
    /is not there/,
  );
  const odd = "sub/odd<U+0007> na<U+202E>me.html";
  expect(await one.settle()).toEqual(["read a.md", "read b.md", `read sub/odd\u0007 na\u202eme.html`]);
  expect((await one.kb.documents()).map(({ name }) => name)).toEqual(["a.md", "b.md", odd]);
  expect(await one.sources.get(id)).toMatchObject({
    last: { read: 3, failed: 0, leftOut: "2 links, 1 file of other kinds" },
    nextReadAt: machine.clock.now() + HOUR,
  });
  expect(await one.find("plutonium")).toEqual([]);
  expect(await one.settle()).toEqual([]);

  writeFileSync(join(folder, "a.md"), "# Apples\n\ngreen");
  rmSync(join(folder, "b.md"));
  machine.clock.advance(HOUR);
  expect(await one.settle()).toEqual([
    `read a.md`,
    `removed ${join(folder, "b.md")}`,
    `unchanged sub/odd\u0007 na\u202eme.html`,
  ]);
  expect([await one.find("green"), await one.find("red"), await one.find("blue")]).toEqual([
    ["Apples"],
    [],
    [],
  ]);

  // A document that somebody removes stays away, until the folder is added anew.
  const [apples] = await one.kb.documents();
  await one.documents.remove(apples?.id ?? "");
  await one.sources.read(id, true);
  expect(await one.settle()).toEqual([`read sub/odd\u0007 na\u202eme.html`]);
  expect(await one.find("green")).toEqual([]);
  await one.sources.add({ location: folder, collection: "fruit" });
  expect(await one.settle()).toContain("read a.md");

  // A folder that cannot be reached, as a disk that is not mounted, takes nothing away.
  rmSync(folder, { recursive: true });
  machine.clock.advance(HOUR);
  expect(await one.settle()).toEqual([]);
  expect(await one.sources.get(id)).toMatchObject({
    last: { problem: expect.stringMatching(/is not there.*stays/) },
  });
  expect(await one.find("green")).toEqual(["Apples"]);
  await one.sources.remove(id);
  expect(await one.kb.documents()).toEqual([]);
  await one.close();
});

test("where machines share documents, a path is read on the machine that has it, and an address on any", async () => {
  const [home, folder] = [newFolder(), newFolder()];
  const machine = new Machine();
  const [here, there] = [
    await process(machine, home, { on: "here" }),
    await process(machine, home, { on: "there" }),
  ];
  const file = join(folder, "a.md");
  writeFileSync(file, "# A\n\nwords");
  const { id } = await here.sources.add({ location: file, collection: "c", every: "every 1h" });
  expect([await there.settle(), await here.settle()]).toEqual([[], ["read a.md"]]);
  machine.clock.advance(HOUR);
  // The one that finds that it is due leaves it to the other.
  expect(await there.settle()).toEqual([]);
  expect(there.sources.isElsewhere(await there.sources.get(id))).toBe(true);
  expect(await there.sources.reading(id)).toBeDefined();
  expect(await here.settle()).toEqual(["unchanged a.md"]);
  // Added there, it is that machine's path.
  expect(await there.sources.add({ location: file, collection: "c" })).toMatchObject({
    id,
    machine: "there",
  });
  expect([await here.settle(), await there.settle()]).toEqual([[], ["unchanged a.md"]]);
  await here.close();
  await there.close();
});

test("a process that dies in the middle of a reading leaves the old text, and another one reads the source again", async () => {
  const [home, folder] = [newFolder(), newFolder()];
  const machine = new Machine();
  let isKilled = false;
  const reached = Promise.withResolvers<void>();
  const one = await process(machine, home, {
    meanwhile: async () => {
      if (!isKilled) return;
      reached.resolve();
      one.die();
    },
  });
  writeFileSync(join(folder, "a.md"), "# Plan\n\nthe earlier plan");
  const { id } = await one.sources.add({ location: folder, collection: "plans", every: "daily" });
  await one.settle();
  writeFileSync(join(folder, "a.md"), "# Plan\n\nthe later plan");
  isKilled = true;
  await one.sources.read(id);
  await one.reader.pollOnce();
  await reached.promise;
  const two = await process(machine, home);
  expect(await two.find("earlier")).toEqual(["Plan"]);
  expect(await two.settle()).toEqual(["read a.md"]);
  expect([await two.find("earlier"), await two.find("later")]).toEqual([[], ["Plan"]]);
  expect(await two.sources.reading(id)).toBeUndefined();
  await two.close();
});

test("a reading in whose middle the store has no room goes on when it has, and the source is read when it is due again", async () => {
  const [home, folder] = [newFolder(), newFolder()];
  const machine = new Machine();
  const full = new LeavingRecords("kb.", ["add", "put", "replace"]);
  const reported: string[] = [];
  const one = await process(machine, home, {
    full,
    report: ({ message }) => void reported.push(message),
    meanwhile: async () => void (full.isAway = true),
  });
  writeFileSync(join(folder, "a.md"), "# Apples\n\nred");
  const { id } = await one.sources.add({ location: folder, collection: "fruit", every: "every 1h" });
  await one.reader.pollOnce();
  await expect.poll(() => reported).toHaveLength(1);
  await machine.pass(5000);
  full.isAway = false;
  await machine.during(one.reader.idle());
  expect(await one.sources.get(id)).toMatchObject({ last: { unchanged: 1, failed: 0 } });
  machine.clock.advance(HOUR);
  await one.settle();
  expect(await one.sources.get(id)).toMatchObject({ last: { at: machine.clock.now() } });
  expect(reported).toHaveLength(1);
  await one.close();
});

test("a source that is removed while it is read leaves nothing behind, and neither does one of its documents", async () => {
  const [home, folder] = [newFolder(), newFolder()];
  const machine = new Machine();
  const other = await process(machine, home);
  let meanwhile: (() => Promise<unknown>) | undefined;
  const one = await process(machine, home, { meanwhile: async () => void (await meanwhile?.()) });
  writeFileSync(join(folder, "a.md"), "# A\n\nwords");
  writeFileSync(join(folder, "b.md"), "# B\n\nwords");
  const { id } = await one.sources.add({ location: folder, collection: "c" });
  meanwhile = async () => {
    // Before the first file is added, somebody wants the second one away.
    meanwhile = undefined;
    await other.sources.exclude(id, join(folder, "b.md"));
  };
  await one.settle();
  expect(await one.find("words")).toEqual(["A"]);
  await one.sources.add({ location: folder, collection: "c" });
  meanwhile = async () => {
    meanwhile = undefined;
    await other.sources.remove(id);
  };
  await one.settle();
  expect(await other.kb.documents()).toEqual([]);
  expect(await other.sources.list()).toEqual([]);
  await one.close();
  await other.close();
});

test("an address is asked whether it has changed, fails in words with the old text kept, and leaves when it is gone", async () => {
  const home = newFolder();
  const machine = new Machine();
  let page = { status: 200, etag: '"1"', text: "# Hours\n\nopen at nine" };
  await using server = await site((request, response) => {
    const { status, etag, text } = page;
    if (status === 200 && request.headers["if-none-match"] === etag)
      return void response.writeHead(304).end();
    response.writeHead(status, { "content-type": "text/markdown; charset=utf-8", etag }).end(text);
  });
  const one = await process(machine, home, { allow: [`127.0.0.1:${server.port}`] });
  const url = `http://127.0.0.1:${server.port}/hours#top`;
  const shown = url.replace("#top", "");
  const { id } = await one.sources.add({ location: url, collection: "web", every: "every 1h" });
  const next = async () => {
    machine.clock.advance(HOUR);
    return await one.settle();
  };
  expect(await one.settle()).toEqual([`read ${shown}`]);
  expect(await next()).toEqual([`unchanged ${shown}`]);
  page = { ...page, status: 503 };
  expect(await next()).toEqual([`failed ${shown}: it answered 503`]);
  expect(await one.find("nine")).toEqual(["Hours"]);
  expect(await one.kb.documents()).toMatchObject([{ state: "ready", problem: "it answered 503" }]);
  expect(await one.sources.get(id)).toMatchObject({ last: { failed: 1, at: machine.clock.now() } });
  page = { status: 200, etag: '"2"', text: "# Hours\n\nopen at ten" };
  expect(await next()).toEqual([`read ${shown}`]);
  expect(await one.find("nine")).toEqual([]);
  page = { ...page, status: 410 };
  expect(await next()).toEqual([`removed ${shown}`]);
  expect(await one.find("ten")).toEqual([]);

  // Inner addresses are not reached, whoever wrote them there.
  const inner = await one.sources.add({ location: "http://127.0.0.1:1/admin", collection: "web" });
  await one.settle();
  expect((await one.kb.documents()).map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/private|not public|inner|refus/i),
  ]);
  expect(await one.sources.get(inner.id)).toMatchObject({ last: { failed: 1 } });
  await one.close();
});

test("files that may not be read, or are no files, fail in words", async () => {
  const [home, folder] = [newFolder(), newFolder()];
  const one = await process(new Machine(), home);
  writeFileSync(join(folder, "large.md"), "");
  await one.sources.add({ location: folder, collection: "c" });
  const { signal } = new AbortController();
  const link = join(folder, "link.md");
  symlinkSync("/dev/zero", link);
  await expect(one.sources.add({ location: link, collection: "d" })).rejects.toThrow(
    /neither a file nor a folder/,
  );
  expect(await one.documents.addFile({ path: "/dev/zero", collection: "c" }, signal)).toMatchObject({
    outcome: "failed",
    problem: "it is no plain file",
  });
  await expect(one.documents.addFile({ path: join(folder, "x"), collection: "c" }, signal)).rejects.toThrow(
    /is not there/,
  );
  chmodSync(folder, 0o700);
  expect(await one.settle()).toEqual(["failed large.md: it holds no text"]);
  await one.close();
});
