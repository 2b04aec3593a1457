import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { lineOf, type NamedFigure } from "./figures.ts";
import { recordRelease } from "./history.ts";

/**
 * Runs the benchmarks, each in a process of its own: first the rows of the table, which it shows once more together, then
 * all others. `--rows` leaves the others out; `--record` does too, and keeps the rows' ratios for this release.
 */
const { values } = parseArgs({ options: { rows: { type: "boolean" }, record: { type: "boolean" } } });

/** What somebody waits for, beside a bare program that does the same. */
const ROWS = [
  "greeting",
  "new-session",
  "first-turn",
  "turns",
  "stream",
  "latency",
  "tool-call",
  "at-once",
  "http-at-once",
  "long-session",
  "resume",
  "tui",
  "start",
];
const OTHERS = [
  "kb",
  "tools",
  "sandbox",
  "checkpoints",
  "prompt",
  "memory",
  "acp",
  "tui-memory",
  "webhook",
  "gateway",
  "gateway-burst",
  "gateway-fleet",
  "http",
  "garbage",
  "chat-idle",
  "chat-faults",
  "long-page",
  "cluster",
  "faults",
];

/** Runs a benchmark; gives the figures that it told. */
async function run(name: string): Promise<readonly NamedFigure[]> {
  console.log(`\n${name}`);
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const figures: NamedFigure[] = [];
  const child = spawn(process.execPath, ["--expose-gc", file], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  child.on("message", (figure) => figures.push(figure as NamedFigure));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) process.exitCode = 1;
  return figures;
}

const rows: NamedFigure[] = [];
for (const name of ROWS) rows.push(...(await run(name)));
if (values.rows !== true && values.record !== true) for (const name of OTHERS) await run(name);

console.log("\nall rows, beside their floors");
for (const row of rows) if (row.floor !== undefined || row.goal !== undefined) console.log(lineOf(row));
if (values.record !== true)
  console.log("\n`node bench/all.ts --record` keeps the ratios in bench/history.jsonl.");
else if (process.exitCode === 1) console.log("\nNothing is kept: a benchmark failed.");
else recordRelease(rows);
