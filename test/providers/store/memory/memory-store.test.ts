import { expect, test } from "vitest";
import type { Store } from "../../../../src/core/ports/store.ts";
import { memoryHome, memoryStore } from "../../../../src/providers/store/index.ts";
import { handClock } from "../../../kit/clock.ts";
import { random } from "../../../kit/counts.ts";
import type { ContractHome } from "../contract/home.ts";
import { storeContract } from "../contract/index.ts";
import { processes } from "../contract/processes.ts";
import { newSession } from "../contract/home.ts";

async function openHome(): Promise<ContractHome> {
  const home = memoryHome();
  const clock = handClock();
  const running = processes();
  const lives = new Map<Store, AbortController>();
  const open: Store[] = [];
  return {
    clock,
    async openHost(options = {}) {
      const identity = running.start(options);
      const life = new AbortController();
      life.signal.addEventListener("abort", () => running.kill(identity.pid));
      const store = home.open({
        identity,
        clock: options.asleep === true ? handClock() : clock,
        isRunning: (process) => running.isRunning(process),
        random: random(open.length),
        signal: life.signal,
      });
      open.push(store);
      lives.set(store, life);
      return store;
    },
    async kill(store) {
      lives.get(store)?.abort();
    },
    async [Symbol.asyncDispose]() {
      for (const store of open) await store[Symbol.asyncDispose]();
    },
  };
}

storeContract(openHome);

test("a store of its own shares nothing", async () => {
  await using a = memoryStore();
  await using b = memoryStore();
  await newSession(a, "s");
  expect(await b.record("s")).toBeUndefined();
});
