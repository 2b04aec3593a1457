import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { directWriter } from "../../../src/app/process/direct-writer.ts";
import { times } from "../../kit/counts.ts";

const PROGRAM = fileURLToPath(new URL("./programs/write-lines.ts", import.meta.url));
const LINES = times(2000);
const EXPECTED = Array.from(
  { length: LINES },
  (_, line) => `${line} ${"aä€🐈".repeat((line * 37) % 4000)}\n`,
).join("");

const start = () => spawn(process.execPath, [PROGRAM, String(LINES)], { stdio: ["ignore", "pipe", "pipe"] });

test("all text comes, whole and in order, at a reader that begins late", async () => {
  const child = start();
  const said = text(child.stderr);
  // The pipe is full, and the rest waits.
  await once(child.stdout, "readable");
  const [read] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(read === EXPECTED).toBe(true);
  expect(await said).toBe("taken\n");
});

test("a reader that leaves is told to who writes", async () => {
  const child = start();
  const said = text(child.stderr);
  await once(child.stdout, "readable");
  child.stdout.destroy();
  await once(child, "exit");
  expect(await said).toBe("lost\n");
});

test("while something waits in the stream, all goes through the stream", async () => {
  const written: unknown[] = [];
  const stream = { writableLength: 1 };
  const write = (chunk: unknown, done: unknown): boolean => {
    written.push(chunk);
    if (typeof done === "function") done();
    return true;
  };
  // Nobody has this descriptor: what is not for the stream fails, and goes there too.
  const writer = directWriter({ descriptor: 2 ** 20, stream, write: write as never });
  await writer("first");
  stream.writableLength = 0;
  await writer("second");
  expect(written).toEqual(["first", "second"]);
});
