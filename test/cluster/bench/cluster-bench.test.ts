import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { packagedPostgres } from "../../kit/postgres/binaries.ts";
import { runProgram } from "../../kit/run-program.ts";

const BENCH = fileURLToPath(new URL("../../../bench/cluster.ts", import.meta.url));
const TINY = ["--only", "stream", "--sessions", "6", "--seconds", "1"];

test.skipIf(packagedPostgres() === undefined)(
  "the benchmark of a cluster streams through hosts of its own, and nothing is lost or doubled",
  { timeout: 120_000 },
  async () => {
    const { code, stdout, stderr } = await runProgram(BENCH, TINY).end;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/something lost or doubled +0 +0 +met/);
    expect(stdout).toMatch(/not at their end in time +0 +0 +met/);
  },
);
