import { describe, expect, test } from "vitest";
import { KeyedQueue, TaskQueue } from "../../../src/shared/async/keyed-queue.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Tasks that end when they are told to, and what they did so far. */
function manual() {
  const did: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const task = (name: string) => async (): Promise<string> => {
    did.push(`${name} begins`);
    const gate = Promise.withResolvers<void>();
    gates.set(name, gate);
    await gate.promise;
    did.push(`${name} ends`);
    return name;
  };
  const end = async (name: string, error?: Error): Promise<void> => {
    if (error === undefined) gates.get(name)?.resolve();
    else gates.get(name)?.reject(error);
    await settled();
  };
  return { did, task, end };
}

describe("a keyed queue", () => {
  test("runs tasks of one key in order, and tasks of different keys side by side", async () => {
    const { did, task, end } = manual();
    const queue = new KeyedQueue();
    const results = [queue.run("x", task("x1")), queue.run("x", task("x2")), queue.run("y", task("y1"))];
    await settled();
    expect(did).toEqual(["x1 begins", "y1 begins"]);
    await end("x1");
    expect(did).toEqual(["x1 begins", "y1 begins", "x1 ends", "x2 begins"]);
    await end("x2");
    await end("y1");
    expect(await Promise.all(results)).toEqual(["x1", "x2", "y1"]);
  });

  test("goes on after a task that failed, and tells its caller of the failure", async () => {
    const { task, end } = manual();
    const queue = new KeyedQueue();
    const failing = queue.run("x", task("x1"));
    const throwing = queue.run("x", () => {
      throw new Error("at once");
    });
    const next = queue.run("x", task("x2"));
    const failures = Promise.allSettled([failing, throwing]);
    await settled();
    await end("x1", new Error("later"));
    expect(await failures).toEqual([
      { status: "rejected", reason: new Error("later") },
      { status: "rejected", reason: new Error("at once") },
    ]);
    await end("x2");
    expect(await next).toBe("x2");
  });

  test("forgets a key when its last task is over", async () => {
    const { task, end } = manual();
    const queue = new KeyedQueue<number>();
    const results = [queue.run(1, task("a")), queue.run(1, task("b"))];
    await settled();
    expect(queue.size).toBe(1);
    await end("a");
    expect(queue.size).toBe(1);
    await end("b");
    expect(queue.size).toBe(0);
    await Promise.all(results);
    expect(await queue.run(1, () => Promise.resolve("again"))).toBe("again");
  });
});

describe("a task queue", () => {
  test("runs its tasks in order, also after one that failed, and says when it is idle", async () => {
    const { did, task, end } = manual();
    const queue = new TaskQueue();
    const failing = queue.run(task("first"));
    const next = queue.run(task("second"));
    const idle = queue.idle().then(() => did.push("idle"));
    const failures = Promise.allSettled([failing]);
    await settled();
    await end("first", new Error("failed"));
    expect(await failures).toEqual([{ status: "rejected", reason: new Error("failed") }]);
    expect(did).toEqual(["first begins", "second begins"]);
    await end("second");
    expect(await next).toBe("second");
    await idle;
    expect(did).toEqual(["first begins", "second begins", "second ends", "idle"]);
  });
});
