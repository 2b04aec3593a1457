import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const seed = Number(process.env["TEST_SEED"] ?? Date.now() % 2 ** 31);
process.env["TEST_SEED"] = String(seed);

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    globalSetup: ["test/kit/print-seed.ts", "test/kit/built.ts"],
    setupFiles: ["test/kit/seeded.ts"],
    pool: "forks",
    // Most of the time goes into waiting for processes and disks, on small machines too.
    maxWorkers: Math.max(3, availableParallelism()),
    // No test measures time; these only end what hangs, on a busy machine too.
    testTimeout: process.env["TEST_LONG"] === "1" ? 900_000 : 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
  },
});
