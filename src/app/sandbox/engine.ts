import { statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../shared/async/clock.ts";
import type { Machine, SandboxAvailability, SandboxProbe, Spawner } from "../../providers/tools/index.ts";
import { canonicalJson } from "../../shared/json/json.ts";
import type { TerminalSettings } from "../config/terminal.ts";
import { packageVersion } from "../process/version.ts";

/** The parts with which a sandbox is found, tried and opened. */
export interface EngineParts {
  readonly machine: Machine;
  readonly spawner: Spawner;
  readonly clock: Clock;
  /** The folder in the home for what can be made again. */
  readonly cache: string;
}

/** The code of the sandbox, loaded when the first command is to run. */
export const loadSandbox = () => import("../../providers/tools/sandbox/index.ts");

/** The finder and tester of this machine's sandbox: one for each kind of walls that the settings have named. */
export class SandboxProbes implements AsyncDisposable {
  #known: { readonly name: string; readonly probe: Promise<SandboxProbe> } | undefined;

  async probeFor(settings: TerminalSettings, parts: EngineParts): Promise<SandboxProbe> {
    const { backend, container } = settings;
    const name = backend === "container" ? canonicalJson(container) : "";
    if (this.#known?.name !== name) {
      // What it cannot remove is cleared away by a process that opens a sandbox after this one has ended.
      this[Symbol.asyncDispose]().catch(() => undefined);
      this.#known = { name, probe: openProbe(settings, parts) };
    }
    return await this.#known.probe;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Who waits for it learns why there is none.
    const probe = await this.#known?.probe.catch(() => undefined);
    await probe?.[Symbol.asyncDispose]();
  }
}

async function openProbe(settings: TerminalSettings, parts: EngineParts): Promise<SandboxProbe> {
  const { SandboxProbe, StoredProofs } = await loadSandbox();
  const options = { ...parts, arch: process.arch };
  if (settings.backend === "container")
    return new SandboxProbe(options, { find: () => findContainers(settings, parts) });
  const program = programMark();
  if (program === undefined) return new SandboxProbe(options);
  const file = join(parts.cache, "sandbox-proofs.json");
  const { machine, clock } = parts;
  return new SandboxProbe(options, {
    proofs: new StoredProofs({ file, program, machine, now: () => clock.now() }),
  });
}

/**
 * The version of the program, with the marks of its code: a build of the same version may build other walls. Sources that
 * are run as they are have no mark for all of them: nothing is kept of their proofs.
 */
function programMark(): string | undefined {
  if (import.meta.url.endsWith(".ts")) return undefined;
  const { size, mtimeMs } = statSync(new URL(import.meta.url));
  return canonicalJson([packageVersion(), import.meta.url, size, mtimeMs]);
}

async function findContainers(
  { container }: TerminalSettings,
  parts: EngineParts,
): Promise<SandboxAvailability> {
  const { containerAvailability } = await loadContainers();
  return await containerAvailability({ ...parts, settings: container, hostId: parts.spawner.hostId });
}

const loadContainers = () => import("../../providers/tools/container/index.ts");

/** Removes the containers that a dead host left behind, should they not have ended with it. */
export async function removeDeadContainers(
  hostId: string,
  settings: TerminalSettings,
  parts: EngineParts,
): Promise<void> {
  if (settings.backend !== "container") return;
  const found = await findContainers(settings, parts);
  if (!found.available || found.engine.kind !== "container") return;
  const { removeContainersOf } = await loadContainers();
  await removeContainersOf(hostId, found.engine);
}
