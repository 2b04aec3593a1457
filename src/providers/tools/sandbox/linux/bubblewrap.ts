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
  ProgramStart,
  RefusedHost,
  Sandbox,
  SandboxFindings,
  WrappedProgram,
} from "../port.ts";
import {
  type BubblewrapParts,
  type Root,
  sharedArguments,
  treesAbove,
  workspaceArguments,
} from "./arguments.ts";
import { WorkspaceLook } from "../look/workspace-look.ts";
import { openProcessLimit, type ProcessLimit } from "./process-limit.ts";
import { seccompFilter } from "../seccomp/filter.ts";
import { FIRST_PROGRAMS, PRLIMIT, PROXY_SOCKET, RELAY_PORT } from "./first-program.ts";
import { innerEnvironment, type InnerPlaces } from "../inner-environment.ts";
import { openSessionFolder, type SessionFolder } from "../session-folder.ts";
import { toolchainHomes } from "../program-folders.ts";
import { useEtc } from "./shared-etc.ts";
import { HOME_INSIDE, innerUser } from "./system-folders.ts";

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
    const above = await treesAbove(parts, roots);
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
  readonly proxyPort = RELAY_PORT;
  readonly #open: OpenParts;
  /** Files of arguments by their content: one that is being read is never changed. */
  readonly #files = new Map<string, Promise<string>>();
  /** Commands that were started. */
  #count = 0;

  constructor(open: OpenParts) {
    this.#open = open;
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
    const { parts, folder, filter, gate, shared, look, limit } = this.#open;
    const { engine, policy, tools } = parts;
    const chdir = await this.#placeOf(start.cwd);
    const before = await look.before();
    const walls = workspaceArguments(before.walls, folder);
    const list = await this.#argumentsFile([...shared, ...walls, "--remount-ro", "/"]);
    const first = engine.first;
    const most = policy.limits?.processes ?? PROCESSES;
    const settings = [PROXY_SOCKET, RELAY_PORT, most, PRLIMIT[engine.architecture]].map(String);
    const command = [first.file, ...FIRST_PROGRAMS[first.name], ...settings, start.file, ...start.args];
    const began = tools.clock.now();
    this.#count += 1;
    const known = { roots: this.#open.roots.map(({ real }) => real), repositories: [...before.repositories] };
    const note = folder.note(...runningNote(this.#count, known));
    const descriptors = [filter, list].map((path) => openSync(path, "r"));
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
        chdir,
        "--",
        ...command,
      ],
      cwd: "/",
      env: {
        ...innerEnvironment({ ...toolchainHomes(policy.home), ...start.base }, innerPlaces()),
        ...start.env,
      },
      descriptors,
      release() {
        for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
      },
      findings: async (): Promise<SandboxFindings> => {
        const { disarmed, obeyed } = await look.after(before);
        note[Symbol.dispose]();
        return {
          refusedHosts: gate.refused.filter(({ at }) => at >= began),
          disarmed: [...this.#open.recovered.splice(0), ...disarmed],
          obeyed,
        };
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open.stack.disposeAsync();
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

  /** The place of a working directory inside. */
  async #placeOf(cwd: string): Promise<string> {
    const { roots, folder, parts } = this.#open;
    const real = await realpath(cwd);
    if (isUnder(real, folder.temp)) return `/tmp${real.slice(folder.temp.length)}`;
    const inside = [...roots.map(({ real }) => real), ...(parts.policy.readable ?? []), "/usr"];
    if (inside.some((root) => isUnder(real, root))) return real;
    throw new HostError(
      "outside_workspace",
      `${real} is not inside the sandbox; run the command in the workspace`,
    );
  }
}
