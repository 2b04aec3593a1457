import { setTimeout as pause } from "node:timers/promises";
import type { PostgresServer } from "../../kit/postgres/index.ts";
import type { LineState, TcpProxy } from "../../kit/tcp-proxy.ts";
import type { Recorder } from "../history/recorder.ts";
import type { Machine } from "./machine.ts";

/** The kinds of faults: of a machine's line to the database, of the way of other machines to it, of its host, of its clock. */
const OF_MACHINES = [
  "cut",
  "cut long",
  "to server",
  "to client",
  "slow",
  "flap",
  "break",
  "way cut",
  "way to host",
  "way from host",
  "way flaps",
  "all ways cut",
  "kill",
  "stop",
  "stop long",
  "clock forward",
  "clock back",
] as const;
const OF_DATABASE = ["restart database", "kill database"] as const;
type FaultKind = (typeof OF_MACHINES)[number] | (typeof OF_DATABASE)[number];

/** A fault, and how long it lasts, in milliseconds. */
interface PlannedFault {
  readonly kind: FaultKind;
  /** The machine, by its number. */
  readonly machine: number;
  readonly lasts: number;
  /** After the fault before it of the same machine, or of the database. */
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

const SHORT_MS = 1_000;
const WAIT_MS = 800;
/** It is whole for longer: else nobody gets anywhere. */
const DATABASE_WAIT_MS = 4_000;
const HOUR_MS = 3_600_000;
const FLAP_MS = 60;
const SLOW_MS = 500;

/** What may go wrong. */
interface FaultChoice {
  readonly random: () => number;
  readonly machines: number;
}

/** Plans faults: each kind once before any comes again, in an order of its own each time. */
export function planFaults(count: number, { random, machines }: FaultChoice): readonly PlannedFault[] {
  const deck: FaultKind[] = [];
  return Array.from({ length: count }, () => {
    if (deck.length === 0) deck.push(...OF_MACHINES, ...OF_DATABASE);
    const [kind = "cut"] = deck.splice(Math.floor(random() * deck.length), 1);
    return {
      kind,
      machine: Math.floor(random() * machines),
      lasts: Math.round(50 + random() * SHORT_MS),
      wait: Math.round(random() * (isOfDatabase(kind) ? DATABASE_WAIT_MS : WAIT_MS)),
    };
  });
}

/** A plan as lines for people. */
export const printPlan = (faults: readonly PlannedFault[]): string =>
  faults.map(({ kind, machine, lasts, wait }) => `+${wait} ${kind} of ${machine} for ${lasts}`).join("\n");

/** Makes the faults happen: those of each machine one after the other, and next to those of others. All is whole again when it resolves. */
export async function makeFaults(faults: readonly PlannedFault[], victims: Victims): Promise<void> {
  const each = Map.groupBy(faults, ({ kind, machine }) => (isOfDatabase(kind) ? "database" : machine));
  await Promise.all(
    [...each.values()].map(async (own) => {
      for (const fault of own) {
        await pause(fault.wait);
        await (isOfDatabase(fault.kind) ? hitDatabase(fault, victims) : hitMachine(fault, victims));
      }
    }),
  );
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
  const { line, way } = machine;
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
      return await flap(line, lasts);
    case "break":
      return line.break();
    case "way cut":
      return await whileLine(way, { cut: true }, lasts * 2);
    case "way to host":
      return await whileLine(way, { oneWay: "to server" }, lasts * 2);
    case "way from host":
      return await whileLine(way, { oneWay: "to client" }, lasts * 2);
    case "way flaps":
      return await flap(way, lasts);
    case "all ways cut":
      await Promise.all(machines.map((each) => whileLine(each.way, { cut: true }, lasts * 2)));
      return;
    case "clock forward":
      return machine.turnClock(HOUR_MS);
    case "clock back":
      return machine.turnClock(-HOUR_MS);
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

async function flap(line: TcpProxy, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 2 * FLAP_MS) {
    await whileLine(line, { cut: true }, FLAP_MS);
    line.break();
    await pause(FLAP_MS);
  }
}

async function whileLine(line: TcpProxy, state: LineState, ms: number): Promise<void> {
  line.set(state);
  await pause(ms);
  line.set({});
}
