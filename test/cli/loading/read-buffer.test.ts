import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ReadBuffer } from "../../../src/cli/loading/read-buffer.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("what is read one after the other stands in the same memory, which grows for what does not fit", () => {
  const buffer = new ReadBuffer(100);
  const first = buffer.take(60);
  expect([first.length, buffer.take(100).length, buffer.take(0).length]).toEqual([60, 100, 0]);
  expect(buffer.take(10).buffer).toBe(first.buffer);
  const large = buffer.take(101);
  expect(large.length).toBe(101);
  expect(large.buffer).not.toBe(first.buffer);
  expect(buffer.take(60).buffer).toBe(large.buffer);
});

test("the memory is given back a second after it was last asked for, and is there again when it is asked for", () => {
  const buffer = new ReadBuffer(100);
  const { buffer: memory } = buffer.take(60);
  vi.advanceTimersByTime(999);
  buffer.take(60);
  vi.advanceTimersByTime(999);
  expect(memory.byteLength).toBe(100);
  vi.advanceTimersByTime(1);
  expect(memory.byteLength).toBe(0);
  const next = buffer.take(60);
  expect([next.length, next.buffer.byteLength]).toEqual([60, 100]);
  vi.advanceTimersByTime(1000);
  expect(next.buffer.byteLength).toBe(0);
});
