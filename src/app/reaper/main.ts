import { tmpdir } from "node:os";
import { systemClock } from "../../shared/async/clock.ts";
import { Spawner } from "../../providers/tools/spawn/spawner.ts";

/**
 * Ends what a host left running that was killed: a program of its own, started by that host's watchdog with the host's
 * id. Processes without the mark are left to the next host of this home, which reads the ledger.
 */
const [, , hostId = ""] = process.argv;
if (hostId !== "") {
  const spawner = new Spawner({
    machine: process,
    clock: systemClock,
    hostId: `reaper-of-${hostId}`,
    tempDir: tmpdir(),
  });
  await spawner.reap({ hostId, children: [] });
}
