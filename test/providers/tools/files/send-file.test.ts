import { symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { SeenFiles } from "../../../../src/providers/tools/files/seen-files.ts";
import { sendFileTool } from "../../../../src/providers/tools/files/send-file.ts";
import { smallPng } from "../../../kit/small-png.ts";
import { toolStage } from "../../../kit/tool-context.ts";
import { type Scratch, scratch } from "../scratch.ts";

const LARGEST = 1000;
const limits = new Map([
  ["telegram", LARGEST],
  ["slack", 10],
]);

const tool = sendFileTool({
  platform: process.platform,
  seen: new SeenFiles(),
  limit: 10_000,
  apart: [],
  home: "/nowhere",
  chats: {
    takes: (name) => limits.has(name),
    largest: (name) => Promise.resolve(limits.get(name) ?? 0),
  },
});

const stageIn = (folder: Scratch, client = "telegram:42") =>
  toolStage({
    cwd: folder.path,
    session: { platform: "chat", source: "telegram" },
    from: { surface: "chat", client },
  });

test("a file is handed over as it is at the call, with its kind and its caption", async () => {
  await using folder = await scratch();
  await folder.write({ "out/a.csv": "1,2", "b.txt": smallPng(), "BMW.txt": "BMW is no picture" });
  const stage = stageIn(folder);
  const { result } = await stage.run(tool, { path: "out/a.csv", caption: "*Numbers*" });
  await writeFile(folder.at("out", "a.csv"), "changed");
  const [file] = result.files ?? [];
  expect(result).toMatchObject({ outcome: "ok", files: [{ name: "a.csv", mediaType: "text/csv" }] });
  expect(file?.caption).toBe("*Numbers*");
  expect(Buffer.from(stage.blobs.get(file?.blob.hash ?? "") ?? []).toString()).toBe("1,2");
  const picture = await stage.run(tool, { path: "b.txt" });
  expect(picture.result.files).toMatchObject([{ name: "b.txt", mediaType: "image/png" }]);
  const text = await stage.run(tool, { path: "BMW.txt" });
  expect(text.result.files).toMatchObject([{ mediaType: "text/plain" }]);
});

test("nothing leaves the workspace from outside of it, wherever links lead", async () => {
  await using folder = await scratch();
  await using outside = await scratch();
  await outside.write({ "secret.txt": "s" });
  await symlink(outside.at("secret.txt"), folder.at("link.txt"));
  await symlink(outside.path, folder.at("folder"));
  const stage = stageIn(folder);
  for (const path of ["link.txt", "folder/secret.txt", outside.at("secret.txt"), "../x"]) {
    const { result, text } = await stage.run(tool, { path });
    expect([result.outcome, result.files]).toEqual(["error", undefined]);
    expect(text).toContain("outside the workspace");
  }
  const { text } = await stage.run(tool, { path: "." });
  expect(text).toContain("is a directory");
  expect(stage.blobs.size).toBe(0);
});

test("a file that may hold secrets is asked about, also by another name", async () => {
  await using folder = await scratch();
  await folder.write({ ".env": "KEY=1", "a.txt": "a" });
  await symlink(".env", folder.at("notes.txt"));
  const stage = stageIn(folder);
  for (const path of [".env", "notes.txt"])
    expect(await stage.permit(tool, { path })).toMatchObject({
      verdict: "ask",
      harmless: false,
      command: `send ${path}`,
      sensitive: true,
      allowPermanent: false,
    });
  expect(await stage.permit(tool, { path: "a.txt" })).toEqual({ verdict: "allow" });
});

test("a file that is too large for the chat of the one who asks, or empty, is refused with the limit", async () => {
  await using folder = await scratch();
  await folder.write({
    "large.bin": Buffer.alloc(LARGEST + 1),
    "eleven.txt": "0123456789a",
    "empty.txt": "",
  });
  const large = await stageIn(folder).run(tool, { path: "large.bin" });
  expect(large.text).toContain(`has ${LARGEST + 1} bytes; at most ${LARGEST} can be sent here`);
  expect((await stageIn(folder).run(tool, { path: "eleven.txt" })).result.outcome).toBe("ok");
  const elsewhere = await stageIn(folder, "slack:U1").run(tool, { path: "eleven.txt" });
  expect(elsewhere.text).toContain("at most 10 can be sent here");
  expect((await stageIn(folder).run(tool, { path: "empty.txt" })).text).toContain("is empty");
});

test("only sessions of chats that take files have it, no subagents, and only whoever asks in a chat gets one", async () => {
  await using folder = await scratch();
  await folder.write({ "a.txt": "a" });
  const offered = (platform: "chat" | "cli", source: string, depth = 0): boolean | undefined =>
    tool.offered?.({ platform, source, depth });
  expect([offered("chat", "telegram"), offered("chat", "signal"), offered("cli", "telegram")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(offered("chat", "telegram", 1)).toBe(false);
  const stage = toolStage({ cwd: folder.path, session: { platform: "chat", source: "telegram" } });
  const { result, text } = await stage.run(tool, { path: "a.txt" });
  expect(result.files).toBeUndefined();
  expect(text).toContain("Nobody asks in a chat now");
});
