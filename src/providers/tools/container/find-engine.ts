import { messageOf } from "../../../shared/errors/host-error.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import type { SandboxAbsence, SandboxAvailability } from "../sandbox/policy.ts";
import { findProgram } from "../spawn/find-program.ts";
import { engineCommands, type EngineTools } from "./engine-commands.ts";
import type {
  ContainerBound,
  ContainerEngine,
  ContainerProgram,
  ContainerSettings,
  EngineAnswer,
  EngineCommands,
} from "./engine.ts";
import { whyNoImage } from "./image.ts";

/** The parts with which it is found out whether containers can be used. */
export interface ContainerOptions extends EngineTools {
  readonly settings: ContainerSettings;
  /** This host among those of all times. */
  readonly hostId: string;
}

/** Milliseconds for an engine that only has to say who it is. */
const PATIENCE_MS = 15_000;

/** Finds the engine that the owner wants, asks it who it is, and looks for the image. */
export async function containerAvailability(options: ContainerOptions): Promise<SandboxAvailability> {
  const { settings } = options;
  const programs = settings.engine === "auto" ? (["docker", "podman"] as const) : [settings.engine];
  const problems: SandboxAbsence[] = [];
  for (const program of programs) {
    const found = await tryProgram(program, options);
    if (!("available" in found)) {
      const problem = await whyNoImage(found);
      return problem ?? { available: true, engine: found };
    }
    problems.push(found);
  }
  // An engine that is there and does not answer says more than one that is not installed.
  return problems.find(({ reason }) => !reason.endsWith(NOT_INSTALLED)) ?? noEngine(settings, problems);
}

const NOT_INSTALLED = "is not installed.";

function noEngine({ engine }: ContainerSettings, [first]: readonly SandboxAbsence[]): SandboxAbsence {
  if (engine !== "auto" && first !== undefined) return first;
  return absent(
    `There is no container engine: neither docker nor podman ${NOT_INSTALLED.replace("is not", "is")}`,
    "Install one of them, or choose another terminal.backend.",
  );
}

async function tryProgram(
  program: ContainerProgram,
  options: ContainerOptions,
): Promise<ContainerEngine | SandboxAbsence> {
  const { settings, hostId } = options;
  const path = engineCommands(program, options).environment["PATH"];
  const file = findProgram(program, path);
  if (file === undefined) {
    return absent(
      `${program} ${NOT_INSTALLED}`,
      `Install ${program}, or set container.engine to another one.`,
    );
  }
  const commands = engineCommands(file, options);
  try {
    // A podman may go by the name of docker.
    const told = await commands.run(["--version"], PATIENCE_MS);
    const actual: ContainerProgram = /podman/i.test(told.text) ? "podman" : "docker";
    const info = await infoOf(actual, commands);
    if ("available" in info) return info;
    return { kind: "container", program: actual, file, ...info, settings, commands, hostId };
  } catch (error) {
    return absent(`${program} does not answer: ${messageOf(error)}`, `Try ${program} info in a shell.`);
  }
}

type Info = Readonly<Record<string, unknown>>;
type EngineInfo = Pick<ContainerEngine, "version" | "rootless" | "unbounded">;

async function infoOf(
  program: ContainerProgram,
  commands: EngineCommands,
): Promise<EngineInfo | SandboxAbsence> {
  const format = program === "docker" ? "{{json .}}" : "json";
  const answer = await commands.run(["info", "--format", format], PATIENCE_MS);
  const info = jsonOf(answer);
  const read = info === undefined ? undefined : program === "docker" ? dockerInfo(info) : podmanInfo(info);
  if (answer.code === 0 && read !== undefined) return read;
  const words = problemIn(info) ?? (answer.problem || `it ended with ${answer.code}`);
  return absent(`${program} cannot run containers here: ${words}.`, adviceFor(program, words));
}

function adviceFor(program: ContainerProgram, words: string): string {
  if (/permission denied/i.test(words))
    return "Add yourself to the group docker and log in again, or use podman.";
  if (program === "docker") return "Start it: systemctl start docker, or Docker Desktop.";
  return "Try podman info in a shell; on macOS: podman machine start.";
}

function jsonOf({ text }: EngineAnswer): Info | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function problemIn(info: Info | undefined): string | undefined {
  const errors = info?.["ServerErrors"];
  return Array.isArray(errors) && typeof errors[0] === "string" ? errors[0].replace(/\.$/, "") : undefined;
}

function dockerInfo(info: Info): EngineInfo | undefined {
  const version = info["ServerVersion"];
  if (typeof version !== "string" || version === "") return undefined;
  const security = JSON.stringify(info["SecurityOptions"] ?? []);
  const bounds = { memory: "MemoryLimit", cpus: "CpuCfsQuota", pids: "PidsLimit" } as const;
  const unbounded = BOUNDS.filter((bound) => info[bounds[bound]] === false);
  return { version, rootless: security.includes("name=rootless"), unbounded };
}

const BOUNDS: readonly ContainerBound[] = ["memory", "cpus", "pids"];

function podmanInfo(info: Info): EngineInfo | undefined {
  const { host, version: versions } = info;
  const version = isJsonObject(versions) ? versions["Version"] : undefined;
  if (!isJsonObject(host) || typeof version !== "string") return undefined;
  const { security, cgroupControllers: controllers, cgroupVersion } = host;
  const rootless = isJsonObject(security) && security["rootless"] === true;
  const known = { memory: "memory", cpus: "cpu", pids: "pids" } as const;
  const none = rootless && cgroupVersion === "v1";
  const unbounded = BOUNDS.filter(
    (bound) => none || (Array.isArray(controllers) && !controllers.includes(known[bound])),
  );
  return { version, rootless, unbounded };
}

const absent = (reason: string, advice: string): SandboxAbsence => ({ available: false, reason, advice });
