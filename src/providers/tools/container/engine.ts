import type { SpawnedChild } from "../spawn/child.ts";
import type { OutputSink } from "../spawn/drain.ts";

/** The owner's wishes for containers. */
export interface ContainerSettings {
  /** `auto` is the first of both that answers. */
  readonly engine: "auto" | ContainerProgram;
  /** As the engine names it. */
  readonly image: string;
  /** Whether an image that is not there is fetched, or only told of. */
  readonly pull: "never" | "missing";
  /** As the engine takes it: `4g`, `512m`. */
  readonly memory: string;
  /** Processors at a time; all by default. */
  readonly cpus?: number;
  /** Processes and threads at a time. */
  readonly pids: number;
  /** `proxy` reaches the listed hosts, `none` nothing; any other is a network of the engine. */
  readonly network: string;
  /** `host` is the person's own number, so that files are theirs; `image` the image's; or a name or numbers. */
  readonly user: string;
  /** Further arguments for the start of a container. */
  readonly options: readonly string[];
}

/** A program that runs containers. */
export type ContainerProgram = "docker" | "podman";

/** A container engine that answered, with what it can do here. */
export interface ContainerEngine {
  readonly kind: "container";
  readonly program: ContainerProgram;
  readonly file: string;
  readonly version: string;
  /** It runs without root: root inside is the person outside. */
  readonly rootless: boolean;
  /** Bounds that it cannot set on this machine. */
  readonly unbounded: readonly ContainerBound[];
  readonly settings: ContainerSettings;
  readonly commands: EngineCommands;
  /** The host among those of all times; each container bears it. */
  readonly hostId: string;
}

/** A bound of what runs in a container. */
export type ContainerBound = "memory" | "cpus" | "pids";

/** The output of an engine that ended. */
export interface EngineAnswer {
  /** -1 when it was ended by a signal. */
  readonly code: number;
  readonly text: string;
  /** Its last words on its other output. */
  readonly problem: string;
}

/** The calls of an engine, each bounded in time. */
export interface EngineCommands {
  /** The variables of the engine's own program. */
  readonly environment: Readonly<Record<string, string>>;
  /** @throws HostError `timeout`, `tool_failed` when it cannot be started */
  run(args: readonly string[], timeoutMs: number): Promise<EngineAnswer>;
  /** Starts a call that stays, with an input that ends with this process. */
  start(
    args: readonly string[],
    outputs: Readonly<Record<"output" | "errors", OutputSink>>,
  ): Promise<SpawnedChild>;
}
