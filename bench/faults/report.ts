import { FAULTS, type FaultName, type Subject } from "./agent.ts";
import { type Finding, type Verdict, VERDICTS } from "./check.ts";
import type { ToldEnd } from "./history.ts";

/** What became of the runs of one subject under one fault. */
export interface Cell {
  readonly subject: Subject;
  readonly fault: FaultName;
  /** How the turn that the fault befell ended, for each run. */
  readonly ends: readonly ToldEnd[];
  /** What the checker found in each run. */
  readonly findings: readonly (readonly Finding[])[];
}

/** What a report is about. */
export interface ReportAbout {
  readonly date: string;
  readonly node: string;
  readonly machine: string;
  readonly seed: number;
  readonly seconds: number;
  /** Subjects, faults and peers that were left out, and why. */
  readonly missing: readonly string[];
  readonly install: string;
}

const verdicts = Object.keys(VERDICTS) as readonly Verdict[];

/** In how many runs something was found. */
const count = ({ findings }: Pick<Cell, "findings">, verdict: Verdict): number =>
  findings.filter((each) => each.some((finding) => finding.verdict === verdict)).length;

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
const head = (cells: readonly string[], words: number): string =>
  `${row(cells)}\n${row(cells.map((_, index) => (index < words ? "---" : "--:")))}`;

/** The lines of a subject, one for each fault. */
export function tableOf(cells: readonly Cell[]): string {
  return [
    head(["Fault", "Runs", "Answered", "Ended otherwise", ...verdicts], 1),
    ...cells.map((cell) => {
      const answered = cell.ends.filter((end) => end === "completed").length;
      return row([
        cell.fault,
        cell.ends.length,
        answered,
        cell.ends.length - answered,
        ...verdicts.map((verdict) => count(cell, verdict)),
      ]);
    }),
  ].join("\n");
}

/** One example of each thing that was found. */
function examplesOf(cells: readonly Cell[]): readonly string[] {
  return cells.flatMap((cell) =>
    verdicts.flatMap((verdict) => {
      const found = cell.findings.flat().find((finding) => finding.verdict === verdict);
      return found === undefined ? [] : [`- ${cell.fault}, ${verdict}: ${found.text}.`];
    }),
  );
}

function summaryOf(bySubject: ReadonlyMap<Subject, readonly Cell[]>): string {
  return [
    head(["", "Version", "Runs", ...verdicts], 2),
    ...[...bySubject].map(([{ name, version }, cells]) => {
      const findings = cells.flatMap((cell) => cell.findings);
      return row([
        name,
        version,
        findings.length,
        ...verdicts.map((verdict) => count({ findings }, verdict)),
      ]);
    }),
  ].join("\n");
}

function sectionOf(subject: Subject, cells: readonly Cell[]): string {
  const examples = examplesOf(cells);
  const without = Object.entries(subject.without).map(([fault, why]) => `- ${fault}: ${why}.`);
  return [
    `## ${subject.name} ${subject.version}`,
    `${subject.protocol}. ${subject.notes}`,
    tableOf(cells),
    ...(examples.length === 0 ? [] : [`The first of each that was found:\n\n${examples.join("\n")}`]),
    ...(without.length === 0 ? [] : [`Not put under:\n\n${without.join("\n")}`]),
  ].join("\n\n");
}

/** Writes the page of documentation. */
export function reportPage(cells: readonly Cell[], about: ReportAbout): string {
  const bySubject = Map.groupBy(cells, ({ subject }) => subject);
  const kinds = [...new Set(cells.map(({ fault }) => fault))].map((fault) => row([fault, FAULTS[fault]]));
  const meanings = verdicts.map((verdict) => row([verdict, VERDICTS[verdict]]));
  return `# Under faults

This host and agents that anybody can install, under the same faults, judged by one checker. The page is the output of one command:

\`\`\`sh
${about.install}
npx node bench/faults.ts --peers peers --seed ${about.seed} --out docs/faults.md
\`\`\`

Run on ${about.date}, Node ${about.node}, ${about.machine}, ${about.seconds} s in all. The counts are runs in which it happened; a run is a conversation.

${summaryOf(bySubject)}

${head(["Verdict", "Means"], 2)}
${meanings.join("\n")}

## How it is done

Each agent is a real process with a new home, and talks to a scripted model on the same machine: nothing needs a network. Its client is a driver that speaks the
agent's public protocol, as its documentation has it, and does what a careful client of that protocol does: it comes back after a break, from a cursor where there is
one, else by reading the conversation again. A run is one conversation with three prompts. The first and the last one are ordinary; the fault befalls the second. Some
conversations run at the same time on one process. The moment of a fault within a reply is drawn from the seed.

The model says numbered words, each once to each prompt, so that a word that is gone, comes twice or stands elsewhere is seen. A command of the model writes a line into a
file: its effect. The history of a run is what was sent and confirmed, all text that the reader was shown, the requests that the model got, the effects, and the
conversation as it is read back at the end, by a new process where one had to be started. The checker sees only that. It has tests with planted faults for each verdict.

Answered means that the turn that the fault befell was answered and said to be complete. A turn that a fault ends, and that is said to have ended so, is not lost: nothing
else can be promised of a reply whose process was killed. It is lost when text that somebody has read is not there any more.

${head(["Fault", "What happens"], 2)}
${kinds.join("\n")}

What this does not say: how often such faults happen, how the agents do on slow disks or over real networks, whether a machine that loses its power keeps what a process
that is killed keeps, and anything about models. The driver of a peer is ours; a mistake in it would be counted against the peer.
${about.missing.length === 0 ? "" : `\nLeft out:\n\n${about.missing.map((each) => `- ${each}`).join("\n")}\n`}
${[...bySubject].map(([subject, all]) => sectionOf(subject, all)).join("\n\n")}
`;
}
