import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { OrderedWriter } from "../../src/jsonrpc/index.ts";

/** A reader that takes one write whenever it is told to. */
function slowReader() {
  const writes: string[] = [];
  let taken = Promise.withResolvers<void>();
  return {
    writes,
    write: (text: string): Promise<void> => {
      writes.push(text);
      return taken.promise;
    },
    async take(): Promise<void> {
      const before = taken;
      taken = Promise.withResolvers<void>();
      before.resolve();
      await nextTurn();
      await nextTurn();
    },
    leave: () => taken.reject(new Error("gone")),
  };
}

const isSettled = async (promise: Promise<void>): Promise<boolean> =>
  await Promise.race([promise.then(() => true), nextTurn(false)]);

test("the first text goes out at once, the rest of its turn as one write, in order", async () => {
  const writes: string[] = [];
  const writer = new OrderedWriter((text) => Promise.resolve(void writes.push(text)));
  for (const text of ["a", "b", "c"]) void writer.send(text);
  expect(writes).toEqual(["a"]);
  await writer.drained();
  expect(writes).toEqual(["a", "bc"]);
  void writer.send("d");
  expect(writes).toEqual(["a", "bc", "d"]);
});

test("one write is under way at a time; what is sent meanwhile waits for the reader", async () => {
  const reader = slowReader();
  const writer = new OrderedWriter(reader.write);
  void writer.send("a");
  for (const text of ["b", "c"]) {
    await nextTurn();
    void writer.send(text);
  }
  expect(reader.writes).toEqual(["a"]);
  await reader.take();
  expect(reader.writes).toEqual(["a", "bc"]);
});

test("senders wait while more is on its way than the limit, and go on when there is room", async () => {
  const reader = slowReader();
  const writer = new OrderedWriter(reader.write, 10);
  expect(await isSettled(writer.send("four"))).toBe(true);
  const beyond = writer.send("more than that");
  expect(writer.crowded).toBe(true);
  expect(await isSettled(beyond)).toBe(false);
  expect(await isSettled(writer.room())).toBe(false);
  await reader.take();
  expect(await isSettled(beyond)).toBe(false);
  await reader.take();
  expect([await isSettled(beyond), await isSettled(writer.room()), writer.crowded]).toEqual([
    true,
    true,
    false,
  ]);
});

test("when nobody reads any more nobody waits, and what is sent is dropped", async () => {
  const reader = slowReader();
  const writer = new OrderedWriter(reader.write, 1);
  const waiting = [writer.send("first"), writer.send("second"), writer.room(), writer.drained()];
  reader.leave();
  await Promise.all(waiting);
  await writer.send("third");
  expect({ writes: reader.writes, closed: writer.closed, crowded: writer.crowded }).toEqual({
    writes: ["first"],
    closed: true,
    crowded: false,
  });
});

test("a reader that never takes anything holds nobody up once the writer is closed", async () => {
  const writer = new OrderedWriter(() => new Promise(() => undefined), 1);
  const waiting = [writer.send("first"), writer.drained()];
  writer.close();
  await Promise.all(waiting);
  expect(writer.crowded).toBe(false);
});
