import type { Clock } from "../../../shared/async/clock.ts";
import type { Machine } from "../machine.ts";
import type { BoundedOutput } from "../spawn/bounded-output.ts";
import { childEnvironment } from "../spawn/environment.ts";
import { MARKER } from "../spawn/process-tree.ts";
import { runToEnd } from "../spawn/run-to-end.ts";
import type { Spawner } from "../spawn/spawner.ts";
import type { EngineCommands } from "./engine.ts";

/** The parts with which an engine is called. */
export interface EngineTools {
  readonly machine: Machine;
  readonly spawner: Spawner;
  readonly clock: Clock;
}

/** Variables by which people tell their engine where it runs and how. */
const OWN_VARIABLES =
  "DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_CERT_PATH DOCKER_TLS_VERIFY CONTAINER_HOST CONTAINER_CONNECTION CONTAINER_SSHKEY CONTAINERS_CONF CONTAINERS_CONF_OVERRIDE CONTAINERS_STORAGE_CONF CONTAINERS_REGISTRIES_CONF STORAGE_DRIVER REGISTRY_AUTH_FILE".split(
    " ",
  );
const KEPT = { head: 2 * 1024 * 1024, tail: 4096 };
const never = new AbortController().signal;

/** @param file - of the engine's program, absolute */
export function engineCommands(file: string, { machine, spawner, clock }: EngineTools): EngineCommands {
  const environment = childEnvironment(machine.env, OWN_VARIABLES);
  // What an engine leaves behind to watch over a container must not be taken for a rest of the call.
  const call = (args: readonly string[]) => ({
    file: "/usr/bin/env",
    args: ["-u", MARKER, file, ...args],
    cwd: "/",
    env: environment,
    label: `${file} ${args[0] ?? ""}`,
    signal: never,
  });
  return {
    environment,
    async run(args, timeoutMs) {
      const end = await runToEnd({ spawner, clock }, { ...call(args), timeoutMs, keep: KEPT });
      return { code: end.code, text: textOf(end.stdout), problem: lastLine(textOf(end.stderr)) };
    },
    start: (args, outputs) => spawner.spawn({ ...call(args), ...outputs, session: "", writable: true }),
  };
}

function textOf(output: BoundedOutput): string {
  const { head, tail } = output.ends();
  return Buffer.concat([head, tail]).toString();
}

/** The last line that says something, without a point: it goes into a sentence. */
export const lastLine = (text: string): string =>
  (text.trim().split("\n").at(-1) ?? "").trim().slice(0, 400).replace(/\.$/, "");
