import { closeSync, openSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { ownUser } from "../own-user.ts";
import { HostError } from "../../../../shared/errors/host-error.ts";
import { isUnder } from "../../workspace/roots.ts";
import { recoverAbandoned, runningNote } from "../abandoned.ts";
import type { NetworkGate } from "../network/gate.ts";
import { HostList } from "../network/host-list.ts";
import { wayOut } from "../network/way-out.ts";
import type {
  Disarmed,
  ProgramSurroundings,
  ProgramStart,
  RefusedHost,
  Sandbox,
  SandboxFindings,
  WaitingProgram,
  WallsAhead,
  WrappedProgram,
} from "../port.ts";
import {
  type BubblewrapParts,
  type Root,
  sharedArguments,
  treesAbove,
  workspaceArguments,
} from "./arguments.ts";
import { type AfterCommand, type BeforeCommand, WorkspaceLook } from "../look/workspace-look.ts";
import { openProcessLimit, type ProcessLimit } from "./process-limit.ts";
import { seccompFilter } from "../seccomp/filter.ts";
import { CAN_WAIT, FIRST_PROGRAMS, PRLIMIT, PROXY_SOCKET, RELAY_PORT } from "./first-program.ts";
import { innerEnvironment, type InnerPlaces } from "../inner-environment.ts";
import { openSessionFolder, type SessionFolder } from "../session-folder.ts";
import { toolchainHomes } from "../program-folders.ts";
import { useEtc } from "./shared-etc.ts";
import { HOME_INSIDE, innerUser } from "./system-folders.ts";
import { wallStamp } from "./wall-stamp.ts";

const PROCESSES = 2000;
/** The shell keeps the outer program alive when all are told to end: the wall stands until what is inside is over. */
const SHELL = 'trap "" TERM; test -z "$1" || echo $$ > "$1" || exit 126; shift; exec "$@"';
/** Descriptors that `bwrap` reads: the filter, and the arguments that are the same for all programs. */
const FILTER_AT = 3;
const ARGUMENTS_AT = 4;

const innerPlaces = (): InnerPlaces => ({
  home: HOME_INSIDE,
  temp: "/tmp",
  user: innerUser().name,
  proxyPort: RELAY_PORT,
});

/** Opens the sandbox of a session: its folder, its way out, and all that is the same for each of its programs. */
export async function openBubblewrap(parts: BubblewrapParts): Promise<Sandbox> {
  const { engine, policy, tools } = parts;
  const hosts = new HostList(policy.hosts ?? []);
  const { gate, proxy: way } = wayOut(policy, hosts, tools);
  const stack = new AsyncDisposableStack();
  try {
    const roots = await spelledAndReal(policy.roots);
    const real = roots.map((root) => root.real);
    const recovered = [...(await recoverAbandoned(policy.tempDir, real, tools.clock.now()))];
    const folder = stack.use(await openSessionFolder(policy.tempDir, policy.home));
    const proxy = stack.use(way);
    await proxy.listen(folder.proxy);
    const most = policy.limits?.processes ?? PROCESSES;
    const limit = stack.use(
      await openProcessLimit({ uid: ownUser().uid, hostPid: tools.machine.pid, session: folder.path }, most),
    );
    const filter = await folder.write("filter", seccompFilter(engine.architecture));
    const above = treesAbove(parts, roots);
    const etc = stack.use(await useEtc(policy, tools)).arguments;
    const shared = await sharedArguments(parts, { folder, etc, roots, readable: above });
    const look = new WorkspaceLook(real, above);
    const open = { parts, folder, gate, hosts, filter, roots, shared, look, limit, recovered, stack };
    return new BubblewrapSandbox(open);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** What is found after a program that changes nothing. */
const UNCHANGED: AfterCommand = { disarmed: [], obeyed: [] };

interface OpenParts {
  readonly parts: BubblewrapParts;
  readonly folder: SessionFolder;
  readonly gate: NetworkGate;
  readonly hosts: HostList;
  /** The path of the filter. */
  readonly filter: string;
  readonly roots: readonly Root[];
  readonly shared: readonly string[];
  readonly look: WorkspaceLook;
  readonly limit: ProcessLimit;
  /** What was disarmed for a killed host; the first findings tell of it. */
  readonly recovered: Disarmed[];
  readonly stack: AsyncDisposableStack;
}

const spelledAndReal = (roots: readonly string[]): Promise<readonly Root[]> =>
  Promise.all(roots.map(async (spelled) => ({ spelled, real: await realpath(spelled) })));

class BubblewrapSandbox implements Sandbox {
  readonly hasSystem = true;
  readonly proxyPort = RELAY_PORT;
  readonly #open: OpenParts;
  /** Files of arguments by their content: one that is being read is never changed. */
  readonly #files = new Map<string, Promise<string>>();
  /** Commands that were started. */
  #count = 0;

  constructor(open: OpenParts) {
    this.#open = open;
  }

  get ahead(): WallsAhead | undefined {
    const { parts, stack } = this.#open;
    if (!CAN_WAIT.has(parts.engine.first.name)) return undefined;
    return {
      // Nothing is looked at anew: if these walls are not those of the next program, they are not used.
      wrap: async (place) => this.#wrapped(place, await this.#surroundings(place, "known"), []),
      onClose: (work) => stack.defer(work),
    };
  }

  get gaps(): readonly string[] {
    const { limit, look } = this.#open;
    return [...(limit.gap === undefined ? [] : [limit.gap]), ...look.gaps];
  }

  get tempDir(): string {
    return this.#open.folder.temp;
  }

  get hosts(): HostList {
    return this.#open.hosts;
  }

  get refusedHosts(): readonly RefusedHost[] {
    return this.#open.gate.refused;
  }

  async wrap(start: ProgramStart): Promise<WrappedProgram> {
    const { parts, folder, gate, look, roots, recovered } = this.#open;
    const around = await this.#surroundings(start);
    const began = parts.tools.clock.now();
    this.#count += 1;
    const known = { roots: roots.map(({ real }) => real), repositories: [...around.before.repositories] };
    const note = folder.note(...runningNote(this.#count, known));
    return {
      ...this.#wrapped(start, around, [start.file, ...start.args]),
      findings: async (): Promise<SandboxFindings> => {
        const { disarmed, obeyed } = start.readsOnly === true ? UNCHANGED : await look.after(around.before);
        note[Symbol.dispose]();
        return {
          refusedHosts: gate.refused.filter(({ at }) => at >= began),
          disarmed: [...recovered.splice(0), ...disarmed],
          obeyed,
        };
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open.stack.disposeAsync();
  }

  async #surroundings({ cwd }: ProgramSurroundings, as?: "known"): Promise<Surroundings> {
    const { folder, shared, look } = this.#open;
    const place = await this.#placeOf(cwd);
    const before = await look.before(as);
    const args = [...shared, ...workspaceArguments(before.walls, folder), "--remount-ro", "/"];
    return { place, before, args, file: await this.#argumentsFile(args) };
  }

  /** @param command - nothing for a program that waits for its command */
  #wrapped(
    { base, env }: ProgramSurroundings,
    { place, args, file }: Surroundings,
    command: readonly string[],
  ): WaitingProgram {
    const { parts, filter, limit } = this.#open;
    const { engine, policy } = parts;
    const { first } = engine;
    const most = policy.limits?.processes ?? PROCESSES;
    const settings = [PROXY_SOCKET, RELAY_PORT, most, PRLIMIT[engine.architecture]].map(String);
    const descriptors = [filter, file].map((path) => openSync(path, "r"));
    return {
      file: "/bin/sh",
      args: [
        "-c",
        SHELL,
        "sh",
        limit.enter,
        engine.file,
        "--seccomp",
        String(FILTER_AT),
        "--args",
        String(ARGUMENTS_AT),
        "--chdir",
        place.inside,
        "--",
        first.file,
        ...FIRST_PROGRAMS[first.name],
        ...settings,
        ...command,
      ],
      cwd: "/",
      env: {
        ...innerEnvironment({ ...toolchainHomes(policy.home), ...base }, innerPlaces()),
        ...env,
      },
      descriptors,
      release() {
        for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
      },
      walls: { key: wallStamp([...args, place.inside]), cwd: place.real },
    };
  }

  #argumentsFile(list: readonly string[]): Promise<string> {
    const content = list.map((each) => `${each}\0`).join("");
    let file = this.#files.get(content);
    if (file === undefined) {
      file = this.#open.folder.write(`arguments-${this.#files.size}`, content);
      this.#files.set(content, file);
    }
    return file;
  }

  async #placeOf(cwd: string): Promise<WorkingPlace> {
    const { roots, folder, parts } = this.#open;
    const real = await realpath(cwd);
    if (isUnder(real, folder.temp)) return { real, inside: `/tmp${real.slice(folder.temp.length)}` };
    const inside = [...roots.map(({ real }) => real), ...(parts.policy.readable ?? []), "/usr"];
    if (inside.some((root) => isUnder(real, root))) return { real, inside: real };
    throw new HostError(
      "outside_workspace",
      `${real} is not inside the sandbox; run the command in the workspace`,
    );
  }
}

/** A working directory by its absolute real path outside, and by the one that it has inside. */
interface WorkingPlace {
  readonly real: string;
  readonly inside: string;
}

/** What is around a program at one moment. */
interface Surroundings {
  readonly place: WorkingPlace;
  readonly before: BeforeCommand;
  readonly args: readonly string[];
  /** The file that holds them. */
  readonly file: string;
}
