import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { startPostgres } from "../../kit/postgres/index.ts";
import { promote, startReplica } from "../../kit/postgres/replica.ts";
import { checkHistory } from "../checker/check-history.ts";
import { printFaults } from "../checker/fault.ts";
import { Cluster } from "./cluster.ts";

/** Work before the primary is lost, and after. */
const LOAD_MS = 3_000;
const GRACE = 1_000;

// Where no package brings a server for this machine.
const primary = await startPostgres({ inMemory: true });
afterAll(() => primary?.[Symbol.asyncDispose]());

describe.skipIf(primary === undefined)("a database whose primary is lost", () => {
  test("goes on at its replica with all that was acknowledged", async () => {
    if (primary === undefined) return;
    await using replica = await startReplica(primary);
    if (replica === undefined) return;
    let current = primary;
    await using cluster = await Cluster.start(() => current.url());
    const { machines, recorder } = cluster;
    await pause(LOAD_MS);
    const from = recorder.now();
    await primary.kill();
    await promote(replica);
    recorder.add({ type: "crash", from, to: recorder.now() });
    current = replica;
    for (const { line } of machines) line.point(replica.port);
    await pause(LOAD_MS);
    const history = await cluster.end();
    const faults = checkHistory(history, { grace: GRACE });
    expect(printFaults(faults), cluster.errors).toBe("nothing wrong");
    const appends = history.entries.filter((entry) => entry.type === "append" && entry.status === "ok");
    const before = appends.filter((entry) => entry.type === "append" && entry.to < from);
    expect(before.length).toBeGreaterThan(0);
    expect(appends.length).toBeGreaterThan(before.length);
  });
});
