import { tmpdir } from "node:os";
import { systemClock } from "../../shared/async/clock.ts";
import { createSpawner } from "../../providers/tools/spawn/spawner.ts";

/**
 * Ends what a host left running that was killed: a program of its own, started by that host's watchdog with the host's
 * id. What has lost its marker is left to the next life of the host, which knows its ledger.
 */
const [, , hostId = ""] = process.argv;
if (hostId !== "") {
  const spawner = createSpawner({
    machine: process,
    clock: systemClock,
    hostId: `reaper-of-${hostId}`,
    tempDir: tmpdir(),
  });
  await spawner.reap({ hostId, children: [] });
}
