import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PieceFiles } from "../../../../src/providers/store/pieces/piece-files.ts";
import { PieceFolder } from "../../../../src/providers/store/pieces/piece-folder.ts";
import { decodeLine, encodeLine } from "../../../../src/providers/store/pieces/piece-lines.ts";
import { random, times } from "../../../kit/counts.ts";
import { smallDisk } from "../../../kit/small-disk.ts";

const piece = (cursor: number, text: string, n = 1) => ({ n, cursor, kind: "text" as const, text });

function stage(folder = mkdtempSync(join(tmpdir(), "agent-pieces-"))) {
  const files = new PieceFiles(join(folder, "pieces"), "host_a");
  const reader = new PieceFolder(join(folder, "pieces"));
  onTestFinished(() => {
    files.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    files,
    reader,
    path: (name = "host_a-0") => join(folder, "pieces", name),
    names: () => readdirSync(join(folder, "pieces")).sort(),
    texts: (fence: number, by = reader) => by.of("host_a", fence).map(({ text }) => text),
  };
}

const openFiles = (): number => readdirSync("/proc/self/fd").length;

test("what is saved is read back, of any number of leases, as it was", () => {
  const { files, reader, path } = stage();
  const odd = '\u0000\n\r\u2028\ud800 \ud83d\ude00"\\';
  for (let fence = 1; fence <= 50; fence += 1)
    expect(
      files.save(fence, [{ ...piece(fence, odd), kind: "reasoning" }, piece(fence + odd.length, `${fence}`)]),
    ).toBe(true);
  expect(reader.of("host_a", 7)).toEqual([
    { n: 1, cursor: 7, kind: "reasoning", text: odd },
    { n: 1, cursor: 7 + odd.length, kind: "text", text: "7" },
  ]);
  expect(reader.of("host_a", 51)).toEqual([]);
  expect(reader.of("host_b", 7)).toEqual([]);
  expect((statSync(path()).mode & 0o777).toString(8)).toBe("600");
  expect((statSync(path("..")).mode & 0o777).toString(8)).toBe("700");
});

test("a thousand sessions that stream at once take one file, and it starts over when they are done", () => {
  const { files, names, path, texts } = stage();
  files.save(1, [piece(0, "x")]);
  const before = openFiles();
  for (let round = 0; round < 3; round += 1) {
    for (let word = 0; word < 3; word += 1)
      for (let fence = 1; fence <= 1_000; fence += 1) files.save(fence, [piece(word, "w".repeat(80))]);
    expect(openFiles()).toBe(before);
    expect(texts(999)).toHaveLength(3);
    for (let fence = 1; fence <= 1_000; fence += 1) files.drop(fence);
    expect(statSync(path()).size).toBeLessThan(100);
    expect(texts(999)).toEqual([]);
  }
  expect(names()).toEqual(["host_a-0"]);
});

test("replies that always overlap use few files of bounded size, for as long as it takes", () => {
  const { files, names, path, texts } = stage();
  const word = "w".repeat(10_000);
  for (let fence = 1; fence <= 3_000; fence += 1) {
    expect(files.save(fence, [piece(0, word), piece(10_000, `${fence}`)])).toBe(true);
    // There is never a moment at which nobody streams.
    if (fence > 20) files.drop(fence - 20);
    if (fence % 500 === 0) expect(texts(fence - 5)).toEqual([word, `${fence - 5}`]);
  }
  expect(names().length).toBeLessThanOrEqual(4);
  for (const name of names()) expect(statSync(path(name)).size).toBeLessThan(4 * 1024 * 1024);
});

test("a reply that is longer than a file is refused from there on, and others go on", () => {
  const { files, texts } = stage();
  const word = "w".repeat(100_000);
  let kept = 0;
  while (files.save(1, [piece(kept, word)])) kept += 1;
  expect(kept).toBeGreaterThan(35);
  expect(kept).toBeLessThan(43);
  expect(texts(1)).toHaveLength(kept);
  expect(files.save(2, [piece(0, "short")])).toBe(true);
  files.drop(1);
  expect(files.save(1, [piece(kept, word)])).toBe(true);
});

test("a line that was cut off or damaged ends what can be read, and nothing else", () => {
  const dice = random(31);
  for (let round = 0; round < times(300); round += 1) {
    const { files, path, texts } = stage();
    const words = Array.from({ length: 20 }, (_, index) => `${index}${"x".repeat(Math.floor(dice() * 9))}`);
    for (const [index, word] of words.entries()) files.save(1, [piece(index, word)]);
    const bytes = readFileSync(path());
    const at = Math.floor(dice() * bytes.length);
    if (dice() < 0.5) truncateSync(path(), at);
    else {
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(dice() * 8));
      writeFileSync(path(), bytes);
    }
    const read = texts(1, new PieceFolder(path("..")));
    expect(words.slice(0, read.length)).toEqual(read);
    expect(read.length).toBeLessThan(20);
  }
});

test("a reader that looks while a line is being written gets it once it is whole", () => {
  const { files, path, texts } = stage();
  files.save(1, [piece(0, "one")]);
  files.save(1, [piece(3, "two")]);
  const whole = readFileSync(path());
  const other = stage();
  files.save(1, [piece(6, "three")]);
  const more = readFileSync(path()).subarray(whole.length);
  other.files.save(1, []);
  writeFileSync(other.path(), whole);
  const seen: string[] = [];
  for (const byte of more) {
    expect(other.texts(1)).toEqual(["one", "two"]);
    appendFileSync(other.path(), Buffer.of(byte));
    seen.push(".");
  }
  expect(other.texts(1)).toEqual(["one", "two", "three"]);
  expect(texts(1)).toEqual(["one", "two", "three"]);
});

test("a line of what the file held before it started over is no line of what it holds now", () => {
  const line = encodeLine(1, 7, piece(0, "same")).slice(0, -1);
  expect(decodeLine(1, line)).toEqual({ fence: 7, piece: piece(0, "same") });
  expect(decodeLine(2, line)).toBeUndefined();
});

test("a reader is never given old lines with new ones, wherever the file starts over", () => {
  const { files, reader, texts } = stage();
  const filler = "f".repeat(70_000);
  for (let round = 1; round <= 20; round += 1) {
    files.save(round, [piece(0, filler), piece(1, "same length")]);
    if (round % 3 === 0) expect(texts(round)).toEqual([filler, "same length"]);
    const before = reader.changesOf(["host_a"]);
    files.drop(round);
    files.save(round + 100, [piece(0, filler), piece(1, "same length")]);
    expect(reader.changesOf(["host_a"])).toBeGreaterThan(before);
    expect(texts(round)).toEqual([]);
    expect(texts(round + 100)).toEqual([filler, "same length"]);
    files.drop(round + 100);
  }
});

test("who is sealed saves nothing more, from that moment and for good", () => {
  const { files, reader, texts, names } = stage();
  files.save(1, [piece(0, "before")]);
  reader.seal("host_a");
  expect(texts(1)).toEqual(["before"]);
  expect(files.save(1, [piece(6, "after")])).toBe(false);
  expect(files.save(2, [piece(6, "after")])).toBe(false);
  reader.discard("host_a");
  expect(files.save(1, [piece(6, "after")])).toBe(false);
  expect(texts(1)).toEqual([]);
  expect(names()).toEqual(["host_a-0"]);
});

test("who is sealed before its first word never says it", () => {
  const { files, reader } = stage();
  reader.seal("host_a");
  reader.discard("host_a");
  expect(files.save(1, [piece(0, "word")])).toBe(false);
});

test("a host that goes on after its files were deleted makes new ones", () => {
  const { files, reader, texts } = stage();
  files.save(1, [piece(0, "old")]);
  files.drop(1);
  reader.remove("host_a");
  expect(files.save(2, [piece(0, "new")])).toBe(true);
  expect(texts(2)).toEqual(["new"]);
});

test("leftovers of hosts that nobody knows go a day later, all files of a host together", () => {
  const { files, reader, path, names } = stage();
  files.save(1, [piece(0, "x")]);
  for (const name of ["host_gone-0", "host_gone-2", "host_gone-0.tmp", "host_known-0"])
    writeFileSync(path(name), "");
  const isKnown = (host: string): boolean => host === "host_known";
  reader.removeLeftovers({ before: 0, isKnown });
  expect(names()).toHaveLength(5);
  utimesSync(path("host_gone-0"), 1, 1);
  reader.removeLeftovers({ before: Date.now() + 60_000, isKnown });
  expect(names()).toEqual(["host_known-0"]);
});

test("a folder that cannot be written to saves nothing and says so", () => {
  const folder = mkdtempSync(join(tmpdir(), "agent-pieces-"));
  const { files } = stage(folder);
  writeFileSync(join(folder, "pieces"), "in the way");
  expect(files.save(1, [piece(0, "x")])).toBe(false);
});

test("a full disk is said to be one, and what was saved before it is read", async ({ skip }) => {
  const disk = await smallDisk(1024 * 1024);
  if (typeof disk === "string") return skip(disk);
  await using mounted = disk;
  const folder = join(mounted.folder, "home");
  const { files, reader, texts } = stage(folder);
  expect(files.save(1, [piece(0, "before")])).toBe(true);
  mounted.fill();
  const words = Array.from({ length: 400 }, (_, index) => piece(10 + index, "w".repeat(100)));
  expect(files.save(1, words)).toBe(false);
  expect(texts(1)[0]).toBe("before");
  // What is there of it was written whole.
  expect(reader.of("host_a", 1).slice(1)).toEqual(words.slice(0, texts(1).length - 1));
  mounted.clear();
  files.drop(1);
  expect(files.save(2, [piece(0, "again")])).toBe(true);
  expect(texts(2)).toEqual(["again"]);
  files.close();
});
