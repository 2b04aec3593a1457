import { setTimeout as pause } from "node:timers/promises";
import type { PostgresServer } from "../../kit/postgres/index.ts";
import type { LineState } from "../../kit/tcp-proxy.ts";
import type { Recorder } from "../history/recorder.ts";
import type { Machine } from "./machine.ts";

/** The kinds of faults. */
const OF_MACHINES = [
  "cut",
  "cut long",
  "to server",
  "to client",
  "slow",
  "flap",
  "break",
  "kill",
  "stop",
  "stop long",
] as const;
const OF_DATABASE = ["restart database", "kill database"] as const;
const WITH_POWER = ["restart database"] as const;
type FaultKind = (typeof OF_MACHINES)[number] | (typeof OF_DATABASE)[number];

/** A fault, and how long it lasts, in milliseconds. */
interface PlannedFault {
  readonly kind: FaultKind;
  /** The machine, by its number. */
  readonly machine: number;
  readonly lasts: number;
  /** After the fault before. */
  readonly wait: number;
}

/** What may be done to a cluster. */
export interface Victims {
  readonly machines: readonly Machine[];
  readonly server: PostgresServer;
  /** Milliseconds after which others take over from a silent host. */
  readonly lease: number;
  readonly recorder: Recorder;
}

const SHORT_MS = 1_500;
const WAIT_MS = 400;
const FLAP_MS = 60;
const SLOW_MS = 500;

/** What may go wrong. */
interface FaultChoice {
  readonly random: () => number;
  readonly machines: number;
  /** The database's machine may lose its power too. */
  readonly power: boolean;
}

/** Plans faults: each kind once before any comes again, in an order of its own each time. */
export function planFaults(count: number, { random, machines, power }: FaultChoice): readonly PlannedFault[] {
  const deck: FaultKind[] = [];
  return Array.from({ length: count }, () => {
    if (deck.length === 0) deck.push(...OF_MACHINES, ...(power ? OF_DATABASE : WITH_POWER));
    const [kind = "cut"] = deck.splice(Math.floor(random() * deck.length), 1);
    return {
      kind,
      machine: Math.floor(random() * machines),
      lasts: Math.round(50 + random() * SHORT_MS),
      wait: Math.round(random() * WAIT_MS),
    };
  });
}

/** A plan as lines for people. */
export const printPlan = (faults: readonly PlannedFault[]): string =>
  faults.map(({ kind, machine, lasts, wait }) => `+${wait} ${kind} of ${machine} for ${lasts}`).join("\n");

/** Makes the faults happen, those of different machines next to each other. All is whole again when it resolves. */
export async function makeFaults(faults: readonly PlannedFault[], victims: Victims): Promise<void> {
  const busy = new Map<string, Promise<void>>();
  for (const fault of faults) {
    await pause(fault.wait);
    const whom = isOfDatabase(fault.kind) ? "database" : String(fault.machine);
    await busy.get(whom);
    busy.set(whom, isOfDatabase(fault.kind) ? hitDatabase(fault, victims) : hitMachine(fault, victims));
  }
  await Promise.all(busy.values());
}

const isOfDatabase = (kind: FaultKind): boolean => OF_DATABASE.some((each) => each === kind);

async function hitDatabase({ kind, lasts }: PlannedFault, { server, recorder }: Victims): Promise<void> {
  const from = recorder.now();
  await (kind === "kill database" ? server.kill() : server.stop());
  if (kind === "kill database") recorder.add({ type: "crash", from, to: recorder.now() });
  await pause(lasts / 2);
  await server.start();
}

async function hitMachine(
  { kind, machine: number, lasts }: PlannedFault,
  { machines, lease }: Victims,
): Promise<void> {
  const machine = machines[number];
  if (machine === undefined) return;
  const { line } = machine;
  switch (kind) {
    case "cut":
      return await whileLine(line, { cut: true }, lasts);
    case "cut long":
      return await whileLine(line, { cut: true }, lasts + lease);
    case "to server":
    case "to client":
      return await whileLine(line, { oneWay: kind }, lasts);
    case "slow":
      return await whileLine(line, { delayMs: SLOW_MS }, lasts * 2);
    case "flap":
      for (let passed = 0; passed < lasts; passed += 2 * FLAP_MS) {
        await whileLine(line, { cut: true }, FLAP_MS);
        line.break();
        await pause(FLAP_MS);
      }
      return;
    case "break":
      return line.break();
    case "kill":
      return await machine.killHost();
    case "stop":
    case "stop long":
      machine.stopHost();
      await pause(kind === "stop" ? lasts : lasts + lease);
      return machine.continueHost();
    case "restart database":
    case "kill database":
      return;
  }
}

async function whileLine(line: Machine["line"], state: LineState, ms: number): Promise<void> {
  line.set(state);
  await pause(ms);
  line.set({});
}
