import { PassThrough, Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ByteSource } from "../../../../src/providers/models/endpoint/byte-source.ts";
import { handClock } from "../../../kit/clock.ts";

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();

test("all bytes that arrived are read at once, later ones later, and the end at the end", async () => {
  const body = new Readable({ read: () => undefined });
  const source = new ByteSource(body);
  body.push("a");
  body.push("b");
  expect(text(await source.read())).toBe("ab");
  const next = source.read();
  body.push("c");
  body.push(null);
  expect(text(await next)).toBe("c");
  expect(await source.read()).toBeUndefined();
});

test("an error is thrown after the bytes before it, and to who waits", async () => {
  const body = new PassThrough();
  const source = new ByteSource(body);
  const waiting = source.read();
  body.destroy(new Error("reset"));
  await expect(waiting).rejects.toThrow("reset");
  await expect(source.read()).rejects.toThrow("reset");
});

test("a body that is closed before its end is an error", async () => {
  const body = new PassThrough();
  const source = new ByteSource(body);
  const waiting = source.read();
  body.destroy();
  await expect(waiting).rejects.toThrow("closed early");
});

test("no more than a limit is read, and the rest is given up", async () => {
  const body = new PassThrough();
  body.write("x".repeat(100));
  expect(await new ByteSource(body).readUpTo(10)).toHaveLength(10);
  expect(body.destroyed).toBe(true);
});

describe("what follows an answer", () => {
  test("runs out, so that its connection can serve again", async () => {
    const clock = handClock();
    const body = new PassThrough();
    const source = new ByteSource(body);
    body.write("answer");
    await source.read();
    source.drain(clock);
    body.end("tail");
    await finished(body);
    expect(body.readableEnded).toBe(true);
    await turn();
    expect(clock.pending()).toEqual([]);
  });

  test("is cut after a second", () => {
    const clock = handClock();
    const body = new PassThrough();
    new ByteSource(body).drain(clock);
    clock.advance(999);
    expect(body.destroyed).toBe(false);
    clock.advance(1);
    expect(body.destroyed).toBe(true);
  });

  test("is cut when it is long", async () => {
    const body = new PassThrough();
    new ByteSource(body).drain(handClock());
    for (let n = 0; n < 10 && !body.destroyed; n += 1) {
      body.write("x".repeat(16_384));
      await turn();
    }
    expect(body.destroyed).toBe(true);
  });
});
