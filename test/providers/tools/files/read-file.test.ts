import { open } from "node:fs/promises";
import { expect, test } from "vitest";
import { smallPng } from "../../../kit/small-png.ts";
import { fileStage } from "./file-stage.ts";

test("lines come with their numbers", async () => {
  await using at = await fileStage({ "a.txt": "one\ntwo\n\nfour" });
  const { result, text } = await at.call("read_file", { path: "a.txt" });
  expect(text).toBe("     1\tone\n     2\ttwo\n     3\t\n     4\tfour");
  expect(result).toMatchObject({ outcome: "ok", summary: "4 lines" });
});

test("a part of a file says which lines it is and how to go on", async () => {
  const lines = Array.from({ length: 5000 }, (_, i) => `line ${i + 1}`).join("\n");
  await using at = await fileStage({ "a.txt": lines });
  const { text } = await at.call("read_file", { path: "a.txt", offset: 10, limit: 2 });
  expect(text).toBe("    10\tline 10\n    11\tline 11\n\n[Lines 10-11 of 5000. Go on with offset 12.]");
  const end = await at.call("read_file", { path: "a.txt", offset: 4999 });
  expect(end.text).toBe("  4999\tline 4999\n  5000\tline 5000\n\n[Lines 4999-5000 of 5000.]");
});

test("a page is never longer than a result may be, and pages together are the file", async () => {
  const lines = Array.from({ length: 3000 }, (_, i) => `${"x".repeat(i % 200)} ${i + 1}`);
  await using at = await fileStage({ "a.txt": lines.join("\n") }, { limit: 5000 });
  const got: string[] = [];
  for (let offset = 1; ;) {
    const { text } = await at.call("read_file", { path: "a.txt", offset });
    expect(text.length).toBeLessThanOrEqual(5000);
    got.push(
      ...text.split("\n").flatMap((line) => (/^ *\d+\t/.test(line) ? [line.replace(/^ *\d+\t/, "")] : [])),
    );
    const next = /Go on with offset (\d+)/.exec(text)?.[1];
    if (next === undefined) break;
    offset = Number(next);
  }
  expect(got).toEqual(lines);
});

test("a line is cut when it is very long, and the memory is too", async () => {
  await using at = await fileStage({ "a.txt": `${"é".repeat(5000)}\nshort` });
  const { text } = await at.call("read_file", { path: "a.txt" });
  expect(text).toBe(`     1\t${"é".repeat(2000)} [… 3000 more characters]\n     2\tshort`);
  const file = await open(at.dir.at("in/huge"), "w");
  await file.write("begin");
  const line = Buffer.alloc(1024 * 1024, "z");
  for (let i = 0; i < 200; i += 1) await file.write(line);
  await file.close();
  const before = process.memoryUsage().rss;
  const huge = await at.call("read_file", { path: "huge" });
  expect(huge.text).toContain("more characters]");
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
});

test("CR LF and broken bytes are named, a byte order mark is not shown", async () => {
  await using at = await fileStage({
    "crlf.txt": "\uFEFFone\r\ntwo\r\n",
    "latin.txt": Buffer.from([0x61, 0xe9, 0x0a]),
  });
  expect((await at.call("read_file", { path: "crlf.txt" })).text).toBe(
    "     1\tone\n     2\ttwo\n\n[Lines end in CR LF.]",
  );
  expect((await at.call("read_file", { path: "latin.txt" })).text).toBe(
    "     1\ta\uFFFD\n\n[Some bytes are not UTF-8 and are shown as \uFFFD.]",
  );
});

test("characters that lie across two reads stay whole", async () => {
  const text = `a${"🙂é€".repeat(30_000)}`;
  await using at = await fileStage({ "a.txt": text.replace(/(.{1500})/gu, "$1\n") });
  const { text: shown } = await at.call("read_file", { path: "a.txt" });
  expect(shown).not.toContain("\uFFFD");
});

test("an image is shown as one", async () => {
  const png = smallPng();
  await using at = await fileStage({
    "a.png": png,
    "large.png": Buffer.concat([png, Buffer.alloc(21 * 2 ** 20)]),
  });
  const { result } = await at.call("read_file", { path: "a.png" });
  expect(result.content).toMatchObject([
    { type: "text", text: `a.png is an image (image/png, 1 × 1 pixels, ${png.length} bytes):` },
    { type: "image", mediaType: "image/png", name: "a.png", blob: { size: png.length } },
  ]);
  expect([...at.stage.blobs.values()].map((bytes) => Buffer.from(bytes).equals(png))).toEqual([true]);
  expect((await at.call("read_file", { path: "large.png" })).text).toContain("Make it smaller first");
});

test.each([
  ["missing.txt", "File not found: missing.txt"],
  ["dir", "dir is a directory, not a file"],
  ["binary", "binary is a binary file (4 bytes); it cannot be shown as text"],
  ["../out", "../out is outside the workspace"],
])("%s is an error that says so", async (path, message) => {
  await using at = await fileStage({ "dir/a": "", binary: "a\0b\n" });
  const { result, text } = await at.call("read_file", { path });
  expect(result.outcome).toBe("error");
  expect(text).toContain(message);
});

test("a line that is not there is an error with the number of those that are", async () => {
  await using at = await fileStage({ "a.txt": "one\n", empty: "" });
  expect((await at.call("read_file", { path: "a.txt", offset: 2 })).text).toBe(
    "a.txt has 1 lines; there is no line 2",
  );
  expect((await at.call("read_file", { path: "empty" })).text).toBe("(the file is empty)");
});

test("reading is allowed, and says where", async () => {
  await using at = await fileStage({});
  expect(await at.permit("read_file", { path: "a" })).toEqual({ verdict: "allow" });
});
