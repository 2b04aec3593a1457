import { systemClock } from "../../src/shared/async/clock.ts";
import { sandboxAvailability } from "../../src/providers/tools/sandbox/index.ts";
import { Spawner } from "../../src/providers/tools/index.ts";
import { tmpdir } from "node:os";
import { CommandStage } from "./command.ts";

/** A machine that is busy may answer too late: it is asked again. */
const TRIES = 3;

async function absence(tries = TRIES): Promise<string | undefined> {
  const options = { machine: process, clock: systemClock, hostId: "sandbox-test", tempDir: tmpdir() };
  await using spawner = new Spawner(options);
  const found = await sandboxAvailability({
    machine: process,
    spawner,
    clock: systemClock,
    arch: process.arch,
  });
  if (found.available) return undefined;
  return tries > 1 ? await absence(tries - 1) : `${found.reason} ${found.advice}`;
}

/** Why tests of the sandbox cannot run on this machine. */
export const noSandbox = await absence();

/** A stage on which commands run where they run for people: in the sandbox. */
export function sandboxStage(): CommandStage {
  const stage = new CommandStage();
  delete stage.env["AGENT_TERMINAL_BACKEND"];
  return stage;
}
