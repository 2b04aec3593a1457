import type { Spread, UsagePart, UsageSums } from "../../core/index.ts";
import { openAgent } from "../../app/compose.ts";
import { type Io, write } from "../../app/process/io.ts";
import {
  type DailyUsage,
  dailyUsage,
  dayOf,
  encodeDailyUsage,
  joinedPeople,
  surfaceName,
} from "../../app/usage/daily-usage.ts";
import { counted } from "../../shared/text/counted.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { count, duration } from "../../tui/text/figures.ts";
import { width } from "../../tui/text/width.ts";
import { printJson } from "../terminal/output.ts";

interface StatsOptions {
  readonly days: number;
  readonly json: boolean;
}

/** `agent stats`: what the sessions of the last days used. */
export async function printStats(io: Io, { days, json }: StatsOptions): Promise<void> {
  await using agent = await openAgent(io, { resident: false });
  const { store, host, people } = agent;
  await store.completeIndex();
  const usage = await dailyUsage(store, { now: host.services.clock.now(), days });
  const userOf = await people.userOfSender();
  if (json) return await printJson(io, encodeDailyUsage(usage, userOf));
  const named = joinedPeople(usage.people, userOf).map(({ user, ...each }) => ({
    ...each,
    name: user ?? each.name,
  }));
  await write(io.stdout, usageText({ ...usage, people: named }, io.env["HOME"] ?? ""));
}

/** Folders that are shown; `--json` has all. */
const MOST_FOLDERS = 10;

function usageText({ days, total, damaged, ...report }: DailyUsage, home: string): string {
  const of = days === 1 ? "today" : `the last ${days} days`;
  if (total.calls + total.turns === 0)
    return `Nothing was used: no turn ran ${days === 1 ? of : `in ${of}`}.\n`;
  const used = report.parts.filter(({ calls, turns }) => calls + turns > 0).toReversed();
  const { folders } = report;
  const parts = [
    table("Day", used, ({ since }) => dayOf(since)),
    table("Model", report.models, ({ name }) => name),
    table("Surface", report.surfaces, surfaceName),
    table("Person", report.people, ({ name }) => name),
    ...(report.personas.some(({ name }) => name !== "")
      ? [table("Persona", report.personas, ({ name }) => name)]
      : []),
    table("Folder", folders.slice(0, MOST_FOLDERS), ({ name }) => folderName(name, home)),
  ];
  const more =
    folders.length > MOST_FOLDERS ? `and ${counted(folders.length - MOST_FOLDERS, "more folder")}\n` : "";
  const notes = [
    ...timeNotes(total),
    total.unpriced === 0 ? "" : `+: the price of ${counted(total.unpriced, "call")} is not known.\n`,
    damaged === 0 ? "" : `${counted(damaged, "session")} cannot be read whole: \`agent doctor\`.\n`,
  ].join("");
  const sum = table(of[0]?.toUpperCase() + of.slice(1), [total], () => "Total");
  return `${[sum, ...parts].join("\n")}${more}${notes === "" ? "" : `\n${notes}`}`;
}

/** How long answers took, and people to answer. */
function timeNotes({ answers, questions, waits }: UsagePart): readonly string[] {
  const took = ({ median, late }: Spread): string =>
    `half within ${duration(median / 1000)}, 95 of 100 within ${duration(late / 1000)}`;
  const waited = waits === undefined ? "" : `; answered ${took(waits)}`;
  return [
    answers === undefined ? "" : `Answers came ${took(answers)}.\n`,
    questions === 0 ? "" : `People were asked ${counted(questions, "question")}${waited}.\n`,
  ];
}

const NAME_WIDTH = 21;

function table<Sums extends UsageSums>(
  title: string,
  rows: readonly Sums[],
  nameOf: (row: Sums) => string,
): string {
  const head = line(title, ["sessions", "turns", "in", "out", "cost"]);
  return head + rows.map((row) => line(nameOf(row), figures(row))).join("");
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
