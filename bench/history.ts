import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type NamedFigure, ratioOf } from "./figures.ts";

/** What a release needed, as times of what a bare program needed in the same run: such figures travel between machines. */
interface Release {
  readonly version: string;
  /** The day of the measurement. */
  readonly date: string;
  readonly node: string;
  /** Processors of the machine. */
  readonly cores: number;
  readonly ratios: Readonly<Record<string, number>>;
}

const HISTORY = new URL("history.jsonl", import.meta.url);
const PACKAGE = new URL("../package.json", import.meta.url);

/** Keeps the ratios of this release in `history.jsonl`, a line a release; an earlier line of the same version goes. */
export function recordRelease(figures: readonly NamedFigure[]): void {
  const { version } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { version: string };
  const ratios: Record<string, number> = {};
  for (const figure of figures) {
    const ratio = ratioOf(figure);
    if (ratio !== undefined) ratios[figure.name] = Number(ratio.toFixed(2));
  }
  const release: Release = {
    version,
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cores: availableParallelism(),
    ratios,
  };
  const lines = [...kept().filter((earlier) => earlier.version !== version), release];
  writeFileSync(HISTORY, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  console.log(`\nbench/history.jsonl keeps ${Object.keys(ratios).length} ratios of ${version}.`);
}

function kept(): readonly Release[] {
  let text = "";
  try {
    text = readFileSync(HISTORY, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Release);
}
