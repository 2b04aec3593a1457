import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/kit/longest-first.ts";

// The same for every plain run, which judges a change and not luck; the long run looks for what is new.
const usual = process.env["TEST_LONG"] === "1" ? Date.now() % 2 ** 31 : 76_578_643;
const seed = Number(process.env["TEST_SEED"] ?? usual);
process.env["TEST_SEED"] = String(seed);
// The same on machines with and without a sandbox; tests of the sandbox choose it themselves.
process.env["AGENT_TERMINAL_BACKEND"] = "local";
// Workers live long, and each start of a process copies the tables of all memory that they have: one pool leaves less unused.
process.env["MALLOC_ARENA_MAX"] = "1";

export default defineConfig({
  test: {
    globalSetup: ["test/kit/print-seed.ts", "test/kit/built.ts"],
    setupFiles: ["test/kit/seeded.ts"],
    include: ["test/**/*.test.{ts,tsx}"],
    pool: "forks",
    // Files share workers, which have loaded everything already: what a file puts into its modules or its process, it takes back.
    isolate: false,
    // Most of the time goes into waiting for processes and disks, on small machines too.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // No test measures time; these only end what hangs, on a busy machine too.
    testTimeout: process.env["TEST_LONG"] === "1" ? 900_000 : 180_000,
    hookTimeout: 180_000,
    restoreMocks: true,
    // What is polled is waited for as long as a test may take.
    expect: { poll: { timeout: 170_000 } },
  },
});
