import { randomUUID } from "node:crypto";
import { realpath, rm } from "node:fs/promises";
import { HostError } from "../../../shared/errors/host-error.ts";
import { RELAY_PORT } from "../sandbox/linux/first-program.ts";
import type { BeforeCommand, WorkspaceLook, WorkspaceWalls } from "../sandbox/look/workspace-look.ts";
import type { NetworkGate } from "../sandbox/network/gate.ts";
import type { HostList } from "../sandbox/network/host-list.ts";
import type { SandboxPolicy, SandboxTools } from "../sandbox/policy.ts";
import type { ProgramStart, RefusedHost, Sandbox, SandboxFindings, WrappedProgram } from "../sandbox/port.ts";
import type { SessionFolder } from "../sandbox/session-folder.ts";
import { isUnder } from "../workspace/roots.ts";
import { execArguments } from "./exec-arguments.ts";
import type { ContainerEngine } from "./engine.ts";
import { containerPlan, type FixedParts } from "./plan.ts";
import { endedFile, type RunningContainer, startContainer } from "./running-container.ts";
import { gapsOf } from "./run-arguments.ts";
import { TOOLS_INSIDE } from "./scripts.ts";

/** The parts of the sandbox of a session that is a container. */
export interface ContainerParts extends FixedParts {
  readonly engine: ContainerEngine;
  readonly policy: SandboxPolicy;
  readonly tools: SandboxTools;
  readonly folder: SessionFolder;
  readonly gate: NetworkGate;
  readonly hosts: HostList;
  readonly look: WorkspaceLook;
  readonly stack: AsyncDisposableStack;
}

/** A container with the walls of the workspace that it was started for. */
interface Standing {
  readonly walls: string;
  readonly before: BeforeCommand;
  readonly running: Promise<RunningContainer>;
}

/** Programs that can pass on the way out, and those with which it is tried to get out. */
const RELAYS: readonly string[] = ["perl", "python3", "node", "socat"];
const TRIERS = ["perl", "python3", "node", "nc", "bash"] as const;

/** The container of a session, started with it and kept between its calls. */
export class ContainerSandbox implements Sandbox {
  readonly proxyPort = RELAY_PORT;
  readonly #parts: ContainerParts;
  readonly #calls = new Set<string>();
  #standing: Standing | undefined;
  #tools: readonly string[] = [];
  #disposed: Promise<void> | undefined;

  constructor(parts: ContainerParts) {
    this.#parts = parts;
  }

  get tempDir(): string {
    return this.#parts.folder.temp;
  }

  get hosts(): HostList {
    return this.#parts.hosts;
  }

  get refusedHosts(): readonly RefusedHost[] {
    return this.#parts.gate.refused;
  }

  get gaps(): readonly string[] {
    const { engine, look } = this.#parts;
    const noWay = engine.settings.network === "proxy" && !this.#tools.some((each) => RELAYS.includes(each));
    return [
      ...gapsOf(engine),
      ...look.gaps,
      ...(noWay
        ? ["The image has none of perl, python3, node and socat: nothing in it reaches any host."]
        : []),
    ];
  }

  /** The program of the image with which it can be tried to reach what is outside. */
  get interpreter(): (typeof TRIERS)[number] | undefined {
    return TRIERS.find((name) => this.#tools.includes(name));
  }

  /** Starts the container. @throws HostError `tool_failed` */
  async ready(): Promise<void> {
    await this.#runningFor(await this.#parts.look.before());
  }

  async wrap(start: ProgramStart): Promise<WrappedProgram> {
    const { engine, look, gate, tools } = this.#parts;
    const cwd = await this.#placeOf(start.cwd);
    const before = await look.before();
    const id = randomUUID();
    // Before anything is waited for: a container in which something is about to run is not replaced.
    this.#calls.add(id);
    try {
      const { running, standing } = await this.#runningFor(before);
      const began = tools.clock.now();
      const { args, env } = execArguments({ engine, container: running.name, id, cwd, start });
      return {
        file: engine.file,
        args,
        cwd: "/",
        env,
        descriptors: [],
        release: () => undefined,
        end: () => running.endCall(id),
        findings: async (): Promise<SandboxFindings> => {
          this.#calls.delete(id);
          await rm(endedFile(this.#parts.own, id), { force: true });
          // Repositories that came after the container's start are not kept by it: they count as new after each call.
          const { repositories } = standing.before;
          const after = await look.after({ ...before, repositories });
          return { refusedHosts: gate.refused.filter(({ at }) => at >= began), ...after };
        },
      };
    } catch (error) {
      this.#calls.delete(id);
      throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  async #dispose(): Promise<void> {
    const running = await this.#standing?.running.catch(() => undefined);
    await running?.remove();
    await this.#parts.stack.disposeAsync();
  }

  /** The container, started anew when it has ended, or when nothing runs and the workspace has other walls by now. */
  async #runningFor(before: BeforeCommand): Promise<{ running: RunningContainer; standing: Standing }> {
    if (this.#disposed !== undefined)
      throw new HostError("interrupted", "The session's container is being removed");
    const walls = JSON.stringify(before.walls);
    const standing = this.#standing;
    if (standing !== undefined) {
      const running = await standing.running.catch(() => undefined);
      const isBusy = this.#calls.size > 1;
      const fits = running?.isOver === false && (isBusy || standing.walls === walls);
      if (running !== undefined && fits) return { running, standing };
      // Whoever came first has replaced it meanwhile.
      if (this.#standing !== standing) return await this.#runningFor(before);
      this.#standing = { walls, before, running: this.#replace(running, before.walls) };
    } else this.#standing = { walls, before, running: this.#start(before.walls) };
    const fresh = this.#standing;
    return { running: await fresh.running, standing: fresh };
  }

  async #replace(old: RunningContainer | undefined, walls: WorkspaceWalls): Promise<RunningContainer> {
    await old?.remove();
    return await this.#start(walls);
  }

  async #start(walls: WorkspaceWalls): Promise<RunningContainer> {
    const { engine, tools, own } = this.#parts;
    const plan = await containerPlan(this.#parts, walls);
    const running = await startContainer({ engine, clock: tools.clock, plan, own });
    this.#tools = running.tools.filter((tool) => TOOLS_INSIDE.some((known) => known === tool));
    return running;
  }

  /** The place of a working directory inside. */
  async #placeOf(cwd: string): Promise<string> {
    const { roots, folder, policy } = this.#parts;
    const real = await realpath(cwd);
    if (isUnder(real, folder.temp)) return `/tmp${real.slice(folder.temp.length)}`;
    const inside = [...roots.map((root) => root.real), ...(policy.readable ?? [])];
    if (inside.some((root) => isUnder(real, root))) return real;
    throw new HostError(
      "outside_workspace",
      `${real} is not in the container; run the command in the workspace`,
    );
  }
}
