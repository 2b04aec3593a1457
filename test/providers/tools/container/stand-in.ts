import { chmod, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "../../../../src/shared/async/clock.ts";
import { scratch, type Scratch } from "../scratch.ts";

/** The conduct of the stand-in, each of it off by default. */
export interface Behaviour {
  readonly version?: string;
  readonly info?: unknown;
  readonly infoFails?: string;
  readonly images?: readonly string[];
  readonly pullFails?: string;
  readonly runFails?: string;
  /** A container says nothing after its start. */
  readonly neverReady?: boolean;
  /** A container does not end with its input. */
  readonly outlives?: boolean;
  /** The verb that hangs. */
  readonly hangs?: string;
  /** Ending a call hangs. */
  readonly endHangs?: boolean;
}

/** An engine that records its calls, as `docker` in a folder of its own. */
export interface StandIn extends AsyncDisposable {
  readonly dir: Scratch;
  readonly env: NodeJS.ProcessEnv;
  behave(behaviour: Behaviour): Promise<void>;
  calls(verb?: string): Promise<readonly (readonly string[])[]>;
  /** A clock on which waits of over 5 s for a call that hangs are over at once. */
  readonly impatient: Clock;
  /** Names of the containers that run. */
  containers(): Promise<readonly string[]>;
}

const LONG_MS = 5000;
const LOOK_MS = 20;

/** @param mark - the file that is written when a call hangs */
function impatientClock(mark: string): Clock {
  const stampOf = (): bigint => statSync(mark, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n;
  let given = 0n;
  return {
    ...systemClock,
    after(ms, run, holds) {
      if (ms <= LONG_MS) return systemClock.after(ms, run, holds);
      let cancel = (): void => undefined;
      const look = (): void => {
        const stamp = stampOf();
        cancel = stamp === given ? systemClock.after(LOOK_MS, look, holds) : systemClock.after(0, run, holds);
        given = stamp;
      };
      look();
      return () => cancel();
    },
  };
}

const PROGRAM = join(import.meta.dirname, "stand-in-engine.mjs");

export async function standIn(behaviour: Behaviour = {}, name = "docker"): Promise<StandIn> {
  const dir = await scratch();
  const quoted = [process.execPath, PROGRAM, dir.at("state")].map((word) => `'${word}'`).join(" ");
  await dir.write({ [`bin/${name}`]: `#!/bin/sh\nexec ${quoted} "$@"\n`, "state/calls": "" });
  await chmod(dir.at("bin", name), 0o755);
  await symlink("/usr/bin/mkfifo", dir.at("bin", "mkfifo"));
  const behave: StandIn["behave"] = (more) =>
    writeFile(
      dir.at("state", "behaviour.json"),
      JSON.stringify({ images: ["localhost/agent-test:latest"], ...more }),
    );
  await behave(behaviour);
  return {
    dir,
    // Nothing else that is called docker or podman is found.
    env: { HOME: dir.path, PATH: dir.at("bin") },
    behave,
    async calls(verb) {
      const text = await readFile(dir.at("state", "calls"), "utf8");
      const all = text.split("\n").flatMap((line): string[][] => (line === "" ? [] : [JSON.parse(line)]));
      return all.filter(([first]) => verb === undefined || first === verb);
    },
    impatient: impatientClock(dir.at("state", "hangs")),
    containers: () => readdir(dir.at("state", "containers")).catch(() => []),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
