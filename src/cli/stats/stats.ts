import { openAgent } from "../../app/compose.ts";
import { type Io, write } from "../../app/process/io.ts";
import { counted } from "../../shared/text/counted.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { count } from "../../tui/text/figures.ts";
import { width } from "../../tui/text/width.ts";
import { printJson } from "../terminal/output.ts";
import { type UsageReport, usageReport, type UsageSums } from "./usage-report.ts";

interface StatsOptions {
  readonly days: number;
  readonly json: boolean;
}

/** `agent stats`: what the sessions of the last days used. */
export async function printStats(io: Io, { days, json }: StatsOptions): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const now = new Date(Date.now());
  // The calendar knows how long the days were.
  const since = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1)).getTime();
  const report = await usageReport(agent.host, since);
  if (json) return await printJson(io, reportJson(report, { days, since }));
  await write(io.stdout, reportText(report, { days, home: io.env["HOME"] ?? "" }));
}

/** Folders that are shown; `--json` has all. */
const MOST_FOLDERS = 10;

function reportText(
  { total, damaged, ...groups }: UsageReport,
  { days, home }: { readonly days: number; readonly home: string },
): string {
  const of = days === 1 ? "today" : `the last ${days} days`;
  if (total.calls + total.turns === 0)
    return `Nothing was used: no turn ran ${days === 1 ? of : `in ${of}`}.\n`;
  const folders = byTokens(groups.folders);
  const parts = [
    table("Day", newestFirst(groups.days)),
    table("Model", byTokens(groups.models)),
    table("Surface", byTokens(groups.surfaces)),
    table(
      "Folder",
      folders.slice(0, MOST_FOLDERS).map(([folder, sums]) => [folderName(folder, home), sums]),
    ),
  ];
  const more =
    folders.length > MOST_FOLDERS ? `and ${counted(folders.length - MOST_FOLDERS, "more folder")}\n` : "";
  const notes = [
    total.unpriced === 0 ? "" : `+: the price of ${counted(total.unpriced, "call")} is not known.\n`,
    damaged === 0 ? "" : `${counted(damaged, "session")} cannot be read whole: \`agent doctor\`.\n`,
  ].join("");
  const sum = table(of[0]?.toUpperCase() + of.slice(1), [["Total", total]]);
  return `${[sum, ...parts].join("\n")}${more}${notes === "" ? "" : `\n${notes}`}`;
}

const byTokens = (groups: ReadonlyMap<string, UsageSums>): readonly (readonly [string, UsageSums])[] =>
  [...groups].sort(([, a], [, b]) => b.input + b.output - (a.input + a.output));

const newestFirst = (days: ReadonlyMap<string, UsageSums>): readonly (readonly [string, UsageSums])[] =>
  [...days].sort(([a], [b]) => (a < b ? 1 : -1));

const NAME_WIDTH = 21;

function table(title: string, rows: readonly (readonly [name: string, sums: UsageSums])[]): string {
  const head = line(title, ["sessions", "turns", "in", "out", "cost"]);
  return head + rows.map(([name, sums]) => line(name, figures(sums))).join("");
}

/** A line of 60 columns. */
function line(name: string, [sessions = "", turns = "", ...rest]: readonly string[]): string {
  const shown = shortened(forTerminalLine(name) || "(none)");
  const padded = shown + " ".repeat(Math.max(0, NAME_WIDTH - width(shown)));
  return `${padded}${sessions.padStart(9)}${turns.padStart(6)}${rest.map((each) => each.padStart(8)).join("")}\n`;
}

function figures({ sessions, turns, input, output, cost, unpriced }: UsageSums): readonly string[] {
  const known = cost === 0 && unpriced > 0 ? "" : `$${cost.toFixed(cost >= 1000 ? 0 : 2)}`;
  const dollars = `${known}${unpriced > 0 ? "+" : ""}`;
  return [String(sessions), String(turns), count(input), count(output), dollars === "+" ? "?" : dollars];
}

/** The end of a name says more than its beginning. */
function shortened(name: string): string {
  if (width(name) <= NAME_WIDTH) return name;
  const letters = Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
  while (width(letters.join("")) >= NAME_WIDTH) letters.shift();
  return `…${letters.join("")}`;
}

function folderName(folder: string, home: string): string {
  if (home === "" || (folder !== home && !folder.startsWith(`${home}/`))) return folder;
  return `~${folder.slice(home.length)}`;
}

function reportJson(
  { total, damaged, ...groups }: UsageReport,
  { days, since }: { readonly days: number; readonly since: number },
): Record<string, unknown> {
  const list = (key: string, entries: readonly (readonly [string, UsageSums])[]) =>
    entries.map(([name, sums]) => ({ [key]: name, ...sumsJson(sums) }));
  return {
    days,
    since: since / 1000,
    total: sumsJson(total),
    by_day: list("day", newestFirst(groups.days)),
    by_model: list("model", byTokens(groups.models)),
    by_surface: list("surface", byTokens(groups.surfaces)),
    by_folder: list("folder", byTokens(groups.folders)),
    damaged_sessions: damaged,
  };
}

function sumsJson({ calls, input, output, reasoning, cacheRead, cost, unpriced, ...rest }: UsageSums) {
  return {
    ...rest,
    model_calls: calls,
    input_tokens: input,
    output_tokens: output,
    reasoning_tokens: reasoning,
    cache_read_tokens: cacheRead,
    cost_usd: cost,
    unpriced_calls: unpriced,
  };
}
