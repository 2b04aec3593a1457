/** The kinds of faults that a schedule is made of. */
const KINDS = [
  /** Neither way between host and store is open. */
  "partition",
  /** What the host sends does not arrive; answers and events do. */
  "deaf store",
  /** What the store answers does not arrive; requests do. */
  "deaf host",
  /** Everything takes longer, in both directions. */
  "slow network",
  /** The store takes long, also for what its host has given up. */
  "slow store",
  /** The connection breaks: nobody hears what became of the requests on it. */
  "reset",
  /** The ways open and close all the time. */
  "flapping",
  /** The process is gone at once; another one starts some time later. */
  "kill",
  /** The process stands still, and goes on as if nothing had happened. */
  "pause",
  /** Somebody turns the wall clock. */
  "clock",
] as const;

type FaultName = (typeof KINDS)[number];

/** A fault: what happens to which host when, and how long it lasts, in milliseconds. */
export interface ScheduledFault {
  readonly at: number;
  readonly host: number;
  readonly name: FaultName;
  readonly ms: number;
  /** How bad it is, from 0 to below 1. */
  readonly size: number;
}

/** What a schedule is made for. */
export interface ScheduleOptions {
  readonly faults: number;
  readonly hosts: number;
  /** Milliseconds in which all of it happens. */
  readonly ms: number;
}

/** How often each kind is chosen, and how long it lasts at least and at most. */
const CHOICES: readonly (readonly [FaultName, number, number, number])[] = [
  ["partition", 4, 50, 30_000],
  ["deaf store", 3, 50, 20_000],
  ["deaf host", 3, 50, 20_000],
  ["slow network", 3, 100, 10_000],
  ["slow store", 3, 100, 10_000],
  ["reset", 8, 1, 1],
  ["flapping", 2, 500, 10_000],
  ["kill", 1.5, 500, 15_000],
  ["pause", 2, 50, 30_000],
  ["clock", 1, 1, 1],
];

/** Chooses faults; the same source of chance gives the same ones. Most are short, and some outlast every patience. */
export function makeSchedule(
  { faults, hosts, ms }: ScheduleOptions,
  random: () => number,
): readonly ScheduledFault[] {
  const total = CHOICES.reduce((sum, [, weight]) => sum + weight, 0);
  return Array.from({ length: faults }, (): ScheduledFault => {
    let chosen = random() * total;
    const [name, , least, most] = CHOICES.find(([, weight]) => (chosen -= weight) < 0) ?? ["reset", 0, 1, 1];
    // Long ones are seldom, or nothing would ever work.
    const length = Math.round(least * (most / least) ** (random() ** 1.5));
    return {
      at: Math.round(random() * ms),
      host: Math.floor(random() * hosts),
      name,
      ms: length,
      size: Math.round(random() * 1000) / 1000,
    };
  }).toSorted((a, b) => a.at - b.at);
}

/** A schedule as lines for people, which can be put into a test as they stand. */
export const printSchedule = (schedule: readonly ScheduledFault[]): string =>
  schedule
    .map(
      ({ at, host, name, ms, size }) =>
        `  { at: ${at}, host: ${host}, name: ${JSON.stringify(name)}, ms: ${ms}, size: ${size} },`,
    )
    .join("\n");
