import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chance } from "../test/cluster/simulation/chance.ts";
import { FAULTS, type FaultName, type Subject } from "./faults/agent.ts";
import { checkRun } from "./faults/check.ts";
import { startFaultsModel } from "./faults/model.ts";
import { ownCluster, ownHost } from "./faults/own-subjects.ts";
import { installCommand, PEERS, peerSubject } from "./faults/peers.ts";
import { type Cell, reportPage, tableOf } from "./faults/report.ts";
import { runFault } from "./faults/run.ts";
import { inTime } from "./faults/talk.ts";

/**
 * This host, on one machine and as a cluster, and agents that anybody can install, under the same faults; one checker judges
 * what became of their conversations.
 *
 *     node bench/faults.ts [--peers <folder>] [--only host] [--fault <kind>] [--runs 4] [--seed 1] [--out docs/faults.md]
 *
 * `--peers` names a folder with the peers' packages; the command that installs them is printed where they are missing.
 */
const { values } = parseArgs({
  options: {
    peers: { type: "string", default: process.env["AGENT_BENCH_PEERS"] ?? "" },
    only: { type: "string", multiple: true },
    fault: { type: "string", multiple: true },
    runs: { type: "string", default: "4" },
    seed: { type: "string", default: "1" },
    out: { type: "string" },
  },
});
const RUNS = Number(values.runs);
const SEED = Number(values.seed);
/** No fault begins later than that, and none lasts longer than the other. */
const LAST_BEGIN_MS = 390_000;
const LONGEST_MS = 90_000;
const GEMINI =
  "`@google/gemini-cli` 0.61.0 (ACP) answers on the scripted model, but its `session/load` did not find sessions that the same process had just answered, nor did a new process, and their files held no conversation afterwards: with no fault at all nothing could be read back. It is left out, rather than counted.";

const root = new URL("..", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { version: string };
const missing = [GEMINI];
const began = performance.now();

const kinds = Object.keys(FAULTS) as readonly FaultName[];
const unknown = values.fault?.find((each) => !kinds.some((kind) => kind === each));
if (unknown !== undefined) throw new Error(`There is no fault ${unknown}; there are: ${kinds.join(", ")}.`);

function ownVersion(): string {
  try {
    const last = ["log", "-1", "--format=%h", "--", "src"];
    const commit = execFileSync("git", last, { cwd: root, encoding: "utf8" }).trim();
    return `${manifest.version} (${commit})`;
  } catch {
    return manifest.version;
  }
}

/** The peers that are there; says how to install the others. */
function peers(): readonly Subject[] {
  const found = PEERS.map((peer) => ({
    peer,
    subject: values.peers === "" ? undefined : peerSubject(peer, values.peers),
  }));
  const gone = found.filter(({ subject }) => subject === undefined);
  for (const { peer } of gone)
    missing.push(
      `\`${peer.package}\`: not installed${values.peers === "" ? ", and no folder was named by --peers" : ""}.`,
    );
  if (gone.length > 0)
    console.log(
      `Some peers are not installed. Install them by\n  ${installCommand(values.peers || "peers")}\n`,
    );
  return found.flatMap(({ subject }) => subject ?? []);
}

/** Puts one subject under all faults, one after the other. */
async function judge(subject: Subject): Promise<readonly Cell[]> {
  const folder = mkdtempSync(join(tmpdir(), "agent-bench-"));
  const effects = join(folder, "effects");
  writeFileSync(effects, "");
  const cells: Cell[] = [];
  const random = chance(SEED, subject.id);
  await using model = await startFaultsModel();
  const agent = await subject.start(model.url);
  try {
    for (const fault of kinds.filter((kind) => values.fault?.includes(kind) ?? true)) {
      if (subject.without[fault] !== undefined) continue;
      if (performance.now() - began > LAST_BEGIN_MS) {
        missing.push(`${subject.name}, ${fault}: there was no time left.`);
        continue;
      }
      const running = runFault(fault, RUNS, { agent, model, effects, random });
      running.catch(() => undefined);
      if (!(await inTime(running, LONGEST_MS))) throw new Error(`${fault} did not end in time`);
      const runs = await running;
      const cell: Cell = {
        subject,
        fault,
        ends: runs.map(({ prompts }) => prompts[1]?.end ?? "untold"),
        findings: runs.map(checkRun),
      };
      cells.push(cell);
      const why = [...new Set(runs.flatMap(({ prompts }) => prompts[1]?.why ?? []))].map(
        (each) => `  ${each}`,
      );
      const found = cell.findings.flat().map(({ verdict, text }) => `  ${verdict}: ${text}`);
      console.log([`${subject.name}: ${fault}: ${cell.ends.join(", ")}`, ...why, ...found].join("\n"));
    }
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    missing.push(`${subject.name}, from here on: ${why}`);
    console.log(`${subject.name} is left out from here on: ${why}`);
  } finally {
    await agent[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
  return cells;
}

/** One subject after the other. */
async function judgeAll(subjects: readonly Subject[]): Promise<readonly Cell[]> {
  const cells: Cell[] = [];
  for (const subject of subjects)
    if (values.only?.includes(subject.id) ?? true) cells.push(...(await judge(subject)));
  return cells;
}

const version = ownVersion();
const [mine, theirs] = await Promise.all([
  judgeAll([ownHost(version), ownCluster(version)]),
  judgeAll(peers()),
]);
const cells = [...mine, ...theirs];
for (const [subject, own] of Map.groupBy(cells, (cell) => cell.subject))
  console.log(`\n${subject.name}\n${tableOf(own)}`);
for (const each of missing) console.log(`left out: ${each}`);
if (values.out !== undefined)
  writeFileSync(
    values.out,
    reportPage(cells, {
      date: new Date().toISOString().slice(0, "2026-01-01".length),
      node: process.versions.node,
      machine: `${process.platform} ${process.arch} with ${availableParallelism()} processors for everything`,
      seed: SEED,
      seconds: Math.round((performance.now() - began) / 1000),
      missing,
      install: installCommand("peers"),
    }),
  );
if (cells.some(({ subject, findings }) => subject.name.startsWith("this host") && findings.flat().length > 0))
  process.exitCode = 1;
process.exit();
