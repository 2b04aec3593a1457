import { startModelProcess } from "../model-process.ts";
import { bareTurns, pgbenchRate } from "./bare-rates.ts";
import { type ClusterHost, startHosts, stopHosts } from "./hosts.ts";
import { ms, type ClusterBench, type Line, type Row } from "./row.ts";
import { SESSIONS_OF_A_HOST, statementsOfTurns, turnRate, type TurnRate } from "./turns.ts";
import { storedTurn } from "./stored-turn.ts";

const RATE_GOAL = 0.6;
const STATEMENTS_GOAL = 6;
const CPU_GOAL = 0.1;
const MOST_HOSTS = 3;
/** A reply of so many tokens, all at once: what is measured is the host. */
const MODEL = ["--tokens", "20"];

/** Gives hosts on a database of their own, on a model that answers at once. */
async function withHosts<T>(
  bench: ClusterBench,
  count: number,
  use: (hosts: readonly ClusterHost[], databaseUrl: string) => Promise<T>,
): Promise<T> {
  await using model = await startModelProcess(MODEL);
  const databaseUrl = await bench.database();
  const hosts = await startHosts(count, { databaseUrl, modelUrl: model.baseUrl });
  try {
    return await use(hosts, databaseUrl);
  } finally {
    await stopHosts(hosts);
  }
}

/** Durable turns of one host, beside programs that only commit what such a turn commits. */
export const rates: Row = async (bench) => {
  const { seconds } = bench.size;
  const { rate, turn } = await withHosts(bench, 1, async (hosts, databaseUrl) => {
    const statements = await statementsOfTurns(hosts, databaseUrl);
    const commits = statements.find(({ name }) => name === "agent_append")?.perTurn ?? 0;
    return { rate: await turnRate(hosts, seconds), turn: await storedTurn(databaseUrl, commits) };
  });
  const bareLoad = { sessions: SESSIONS_OF_A_HOST, forMs: seconds * 1000 };
  const floor = (await bareTurns(await bench.database(), turn, bareLoad)).length / seconds;
  const pgbench = await pgbenchRate(await bench.database(), turn, seconds);
  const size = turn.appends.flat().reduce((sum, { body }) => sum + body.length, 0);
  const what = `turns, each of ${turn.appends.length} commits: ${turn.appends.flat().length} rows of ${size} bytes together, state of ${turn.state.length}`;
  return [
    { what, measured: `${rate.perSecond.toFixed(0)} /s` },
    { what: "… processors that the host used for one", measured: ms(rate.cpu) },
    share("… beside a bare Node program with pg", rate.perSecond, floor),
    pgbench === undefined
      ? {
          what: "… beside pgbench",
          measured: "no pgbench: install Debian's postgresql-15",
        }
      : { ...share("… beside pgbench", rate.perSecond, pgbench), ...goalOf(rate.perSecond / pgbench) },
  ];
};

const share = (what: string, ours: number, other: number): Line => ({
  what: `${what}, ${other.toFixed(0)} /s`,
  measured: `${((100 * ours) / other).toFixed(0)} %`,
});

const goalOf = (ratio: number): Pick<Line, "goal" | "met"> => ({
  goal: `≥ ${100 * RATE_GOAL} %`,
  met: ratio >= RATE_GOAL,
});

/** What the database carries out for a turn without tools. */
export const statements: Row = (bench) =>
  withHosts(bench, 1, async (hosts, databaseUrl) => {
    const all = await statementsOfTurns(hosts, databaseUrl);
    const sum = all.reduce((sum, { perTurn }) => sum + perTurn, 0);
    return [
      {
        what: "statements of a turn without tools, those of the background among them",
        measured: sum.toFixed(2),
        goal: `≤ ${STATEMENTS_GOAL}`,
        met: sum <= STATEMENTS_GOAL,
      },
      ...all.map(({ name, perTurn, meanMs }) => ({
        what: `… ${name}, ${meanMs.toFixed(3)} ms each`,
        measured: perTurn.toFixed(2),
      })),
    ];
  });

/** The same load on each of one, two and three hosts. */
export const scaling: Row = async (bench) => {
  const all: TurnRate[] = [];
  for (let count = 1; count <= MOST_HOSTS; count += 1)
    all.push(await withHosts(bench, count, (hosts) => turnRate(hosts, bench.size.seconds)));
  const [alone] = all;
  return all.map(({ perSecond, cpu }, index) => {
    const more = cpu / (alone?.cpu ?? Number.NaN) - 1;
    const what = `${index + 1} hosts: ${perSecond.toFixed(0)} turns/s, processors of the hosts for one`;
    if (index === 0) return { what: what.replace("hosts:", "host:"), measured: ms(cpu) };
    return {
      what,
      measured: `${ms(cpu)} (${more < 0 ? "" : "+"}${(100 * more).toFixed(0)} %)`,
      goal: `± ${100 * CPU_GOAL} %`,
      met: more <= CPU_GOAL,
    };
  });
};
