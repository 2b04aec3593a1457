import { describe, expect, test } from "vitest";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { PollingWorker } from "../../../src/shared/async/polling-worker.ts";
import { type HandClock, handClock } from "../../kit/clock.ts";

interface World {
  readonly rounds: PollingWorker;
  readonly clock: HandClock;
  readonly reported: HostError[];
  looks: number;
}

function worldOf(look: (world: World) => Promise<void>): World {
  const clock = handClock();
  const reported: HostError[] = [];
  const rounds = new PollingWorker({
    clock,
    report: (error) => reported.push(error),
    everyMs: 1000,
    concurrency: 2,
    poll: async () => {
      world.looks += 1;
      await look(world);
    },
  });
  const world: World = { rounds, clock, reported, looks: 0 };
  return world;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("rounds", () => {
  test("look at once and then again each time, also after a look that failed", async () => {
    const world = worldOf(async ({ looks }) => {
      if (looks === 1) throw new HostError("store_unavailable", "Not now.");
    });
    world.rounds.start();
    await settled();
    expect(world.reported.map(({ message }) => message)).toEqual(["Not now."]);
    world.clock.advance(1000);
    await settled();
    world.clock.advance(1000);
    await settled();
    expect(world.looks).toBe(3);
    await world.rounds.stop();
    world.clock.advance(5000);
    expect(world.looks).toBe(3);
  });

  test("whoever asks for a look while one goes on joins it", async () => {
    const gate = Promise.withResolvers<void>();
    const world = worldOf(() => gate.promise);
    const both = [world.rounds.pollOnce(), world.rounds.pollOnce()];
    gate.resolve();
    await Promise.all(both);
    expect(world.looks).toBe(1);
  });

  test("whoever asks for a look anew gets one that began after that", async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const seen: string[] = [];
    const work: string[] = [];
    const world = worldOf(async ({ looks }) => {
      // What comes while it looks is not found.
      const found = work.splice(0);
      await gates[looks - 1]?.promise;
      seen.push(...found);
    });
    world.rounds.start();
    work.push("late");
    const anew = world.rounds.pollAnew();
    gates[0]?.resolve();
    await settled();
    expect(seen).toEqual([]);
    gates[1]?.resolve();
    await anew;
    expect([seen, world.looks]).toEqual([["late"], 2]);
    await world.rounds.stop();
  });

  test("there is room for as many as may run at once, and for none after a stop", async () => {
    const { rounds } = worldOf(async () => undefined);
    const gate = Promise.withResolvers<void>();
    void rounds.track(gate.promise);
    expect([rounds.running, rounds.capacity]).toEqual([1, 1]);
    await rounds.stop();
    expect([rounds.running, rounds.capacity]).toEqual([1, 0]);
    gate.resolve();
    await rounds.idle();
    expect(rounds.running).toBe(0);
  });

  test("work that fails is reported, and what is left behind at the end is not", async () => {
    const { rounds, reported } = worldOf(async () => undefined);
    await rounds.track(Promise.reject(new HostError("internal", "Broken.")));
    expect(reported.map(({ message }) => message)).toEqual(["Broken."]);
    const left = new Promise<void>((_resolve, reject) => {
      rounds.signal.addEventListener("abort", () => reject(new Error("Left as it is.")));
    });
    void rounds.track(left);
    await rounds[Symbol.asyncDispose]();
    expect(reported).toHaveLength(1);
  });

  test("claimed work is done again, later each time, while the store fails in it", async () => {
    const { rounds, clock, reported } = worldOf(async () => undefined);
    const began: number[] = [];
    const over = rounds.trackClaimed({
      work: async () => {
        began.push(clock.monotonic());
        if (began.length < 4) throw new HostError("store_full", "No room.");
      },
      isClaimed: () => Promise.resolve(true),
    });
    for (const ms of [1000, 2000, 4000]) {
      await clock.untilPending();
      clock.advance(ms);
    }
    await over;
    expect(began.map((at) => at - (began[0] ?? 0))).toEqual([0, 1000, 3000, 7000]);
    expect(reported.map(({ message }) => message)).toEqual(["No room."]);
  });

  test("claimed work is not done again when it is another process's, this one ends, or no later try would help", async () => {
    const { rounds, clock, reported } = worldOf(async () => undefined);
    const done: string[] = [];
    const failing = (name: string, code: "conflict" | "store_corrupt", isClaimed = true) => ({
      work: async () => {
        done.push(name);
        throw new HostError(code, name);
      },
      isClaimed: () => Promise.resolve(isClaimed),
    });
    await rounds.trackClaimed(failing("damaged", "store_corrupt"));
    const taken = rounds.trackClaimed(failing("taken", "conflict", false));
    await clock.untilPending();
    clock.advance(1000);
    await taken;
    const left = rounds.trackClaimed(failing("left", "conflict"));
    await clock.untilPending();
    await rounds[Symbol.asyncDispose]();
    await left;
    expect(done).toEqual(["damaged", "taken", "left"]);
    expect(reported.map(({ message }) => message)).toEqual(["damaged", "taken", "left"]);
  });
});
