import { afterAll, describe, expect, test } from "vitest";
import { random, seed, timesOr } from "../../kit/counts.ts";
import { startPostgres } from "../../kit/postgres/index.ts";
import { checkHistory } from "../checker/check-history.ts";
import { printFaults } from "../checker/fault.ts";
import { Cluster, LEASE_MS } from "./cluster.ts";
import { makeFaults, planFaults, printPlan } from "./faults.ts";

const FAULTS = timesOr(500, 19);
/** A host that was stopped may have been in the middle of an act; milliseconds. */
const GRACE = 1_000;
const NOTHING = "nothing wrong";

// Its own server: it is killed. Where no package brings one for this machine.
const server = await startPostgres({ inMemory: true });
afterAll(() => server?.[Symbol.asyncDispose]());

describe.skipIf(server === undefined)("hosts as processes on one database", () => {
  test(`hold through ${FAULTS} faults`, async () => {
    if (server === undefined) return;
    await using cluster = await Cluster.start(() => server.url());
    const { machines, recorder } = cluster;
    const plan = planFaults(FAULTS, { random: random(21), machines: machines.length });
    await makeFaults(plan, { machines, server, recorder, lease: LEASE_MS });
    const history = await cluster.end();
    const kinds = Map.groupBy(history.entries, ({ type }) => type);
    const counts = [...kinds].map(([type, { length }]) => `${length} ${type}`).join(", ");
    console.log(`TEST_SEED=${seed}: ${FAULTS} faults; ${history.logs.length} sessions, ${counts}`);
    const wrong = printFaults(checkHistory(history, { grace: GRACE }));
    const words = wrong === NOTHING ? "" : `${cluster.keep()}\n${printPlan(plan)}\n${cluster.errors}`;
    expect(wrong, words).toBe(NOTHING);
    for (const type of ["append", "read", "prompt", "result", "answer", "effect"] as const)
      expect(kinds.get(type)?.length).toBeGreaterThan(0);
    expect(machines.some(({ near }) => near > 0)).toBe(true);
  });
});
