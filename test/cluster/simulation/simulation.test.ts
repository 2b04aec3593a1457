import { expect, test } from "vitest";
import { seed, timesOr } from "../../kit/counts.ts";
import { printFaults } from "../checker/fault.ts";
import { chance } from "./chance.ts";
import { makeSchedule, printSchedule, type ScheduledFault } from "./schedule.ts";
import { shrink } from "./shrink.ts";
import { simulate, type SimulationOptions } from "./simulate.ts";

const SECOND = 1000;
/** Runs in which a schedule that fails is made shorter: as many as the limit of a test has room for on a slow machine. */
const SHRINKING = timesOr(6, 40);

function planned(faults: number, ms: number, more: Partial<SimulationOptions> = {}): SimulationOptions {
  const options = { seed, hosts: 4, people: 8, sessions: 6, ms, ...more };
  const schedule = makeSchedule({ faults, hosts: options.hosts, ms }, chance(options.seed, "schedule"));
  return { schedule, ...options };
}

/** What goes wrong with a schedule, for people, and a shorter one with which the same kind of fault happens. */
async function failure(options: SimulationOptions): Promise<string> {
  const { faults } = await simulate(options);
  const [first] = faults;
  if (first === undefined) return printFaults(faults);
  // Told before the search for less, which may take longer than the test.
  console.error(printFaults(faults));
  const fails = async (schedule: readonly ScheduledFault[]): Promise<boolean> =>
    (await simulate({ ...options, schedule })).faults.some(({ kind }) => kind === first.kind);
  const schedule = await shrink(options.schedule, fails, SHRINKING);
  const short = await simulate({ ...options, schedule });
  const { seed: own, hosts, people, sessions, ms } = options;
  const words = `Seed ${own}, ${hosts} hosts, ${people} people, ${sessions} sessions, ${ms} ms; the shortest schedule found:`;
  return [printFaults(faults), words, printSchedule(schedule), printFaults(short.faults)].join("\n");
}

test("hosts that are cut off, slowed down, stopped and killed at random lose nothing, double nothing, and all go on", async () => {
  const [faults, ms] = [timesOr(10_000, 500), timesOr(3600, 100) * SECOND];
  expect(await failure(planned(faults, ms))).toBe("nothing wrong");
});

test("the same seed gives the same run", async () => {
  const options = planned(40, 12 * SECOND, { people: 4, sessions: 3 });
  const first = await simulate(options);
  const again = await simulate(options);
  expect(again.digest).toBe(first.digest);
  expect(again.figures).toEqual(first.figures);
  const other = await simulate({ ...options, seed: seed + 1 });
  expect(other.digest).not.toBe(first.digest);
});

test("hosts that go on when they were cut off are found out", async () => {
  const schedule = [0, 1, 2].map((host): ScheduledFault => ({
    at: 6 * SECOND,
    host,
    name: "partition",
    ms: 20 * SECOND,
    size: 0,
  }));
  const kinds = new Set<string>();
  // Not in each run a host is in the middle of an act as it is cut off.
  for (let seed = 1; kinds.size === 0 && seed <= 10; seed += 1) {
    const options = planned(0, 26 * SECOND, { seed, people: 16, sessions: 14, schedule });
    expect((await simulate(options)).faults).toEqual([]);
    for (const { kind } of (await simulate({ ...options, stops: false })).faults) kinds.add(kind);
  }
  expect(kinds).toEqual(new Set(["acted"]));
});

test("a list that fails is shrunk to what it needs to fail", async () => {
  const list = Array.from({ length: 100 }, (_, index) => index);
  const fails = async (part: readonly number[]): Promise<boolean> => part.includes(17) && part.includes(80);
  expect(await shrink(list, fails, 1000)).toEqual([17, 80]);
});
