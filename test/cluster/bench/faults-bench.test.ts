import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram } from "../../kit/run-program.ts";

const BENCH = fileURLToPath(new URL("../../../bench/faults.ts", import.meta.url));
const TINY = ["--only", "host", "--runs", "2", "--fault", "kill", "--fault", "broken stream"];

test(
  "the bench of faults kills this host in the middle of replies, and nothing is lost",
  { timeout: 60_000 },
  async () => {
    const { code, stdout, stderr } = await runProgram(BENCH, TINY).end;
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/\| kill \| 2 \| 0 \| 2 \| 0 \| 0 \| 0 \| 0 \|/);
    expect(stdout).toMatch(/\| broken stream \| 2 \| 0 \| 2 \| 0 \| 0 \| 0 \| 0 \|/);
    expect(stdout).toContain("npm install --ignore-scripts --prefix peers opencode-ai@");
  },
);
