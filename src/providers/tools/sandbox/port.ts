/** The surroundings of a program in a sandbox. */
export interface ProgramSurroundings {
  /** Absolute, or the reference of an open directory. */
  readonly cwd: string;
  /** The variables that every child gets; the sandbox puts its own in the place of those that do not fit inside. */
  readonly base: Readonly<Record<string, string>>;
  /** The variables of this program; they win. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program that is to be started in a sandbox. */
export interface ProgramStart extends ProgramSurroundings {
  readonly file: string;
  readonly args: readonly string[];
  /** Both its outputs go to one place, in the order in which they are written. */
  readonly joined?: boolean;
  /** It certainly changes nothing: there is nothing to be looked for after it. */
  readonly readsOnly?: boolean;
}

/** A program with the wall around it, as the system is to start it. */
export interface WrappedProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** An absolute folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Open files that the program gets from descriptor 3 on. */
  readonly descriptors: readonly number[];
  /** Closes the host's copies of them, once the program has its own, or was not started. */
  readonly release: () => void;
  /** Ends what the table of processes may not show: where it runs elsewhere, ending what stands for it here is not enough. */
  readonly end?: () => Promise<void>;
  /** Looks at what the program did, once it and all that came of it are over. */
  readonly findings: () => Promise<SandboxFindings>;
  /** Of a sandbox with walls that can be put up ahead. */
  readonly walls?: Walls;
}

/** The walls around one program. */
export interface Walls {
  /** All that they are made of: those that were put up ahead are the same if theirs is equal. */
  readonly key: string;
  /** The working directory, outside: absolute and real. */
  readonly cwd: string;
}

/**
 * Walls in which a program waits for what it is to become. It writes a zero byte when it is ready, then reads words, each
 * with a zero byte behind it, from the descriptor after `descriptors`; without any it ends.
 */
export interface WaitingProgram extends Pick<
  WrappedProgram,
  "file" | "args" | "cwd" | "env" | "descriptors" | "release"
> {
  readonly walls: Walls;
}

/** The part of a sandbox that puts up walls before a program is known. */
export interface WallsAhead {
  wrap(place: ProgramSurroundings): Promise<WaitingProgram>;
  /** Does some work when the sandbox is closed, before anything of it goes. */
  onClose(work: () => Promise<void>): void;
}

/** A wish to reach a host that was not granted. */
export interface RefusedHost {
  readonly host: string;
  readonly port: number;
  /** `unlisted`: the host is not on the list. `private`: its name leads to this machine or an inner network. */
  readonly reason: "unlisted" | "private";
  /** Unix milliseconds of the last try. */
  readonly at: number;
}

/** A file in a workspace that would have run outside, later and unasked, and what became of it. */
export interface Disarmed {
  /** Absolute. */
  readonly path: string;
  /** What it was, and what was done, in a sentence without its end. */
  readonly what: string;
}

/** The look at a command after its end. */
export interface SandboxFindings {
  /** Hosts that were refused while it ran. */
  readonly refusedHosts: readonly RefusedHost[];
  /** Hooks and settings of repositories that it left behind; they were taken out. */
  readonly disarmed: readonly Disarmed[];
  /** Absolute paths of new or changed files that editors, shells, agents or build servers obey without being asked. */
  readonly obeyed: readonly string[];
}

/** A host and port that a program wants to reach. */
export interface HostTarget {
  /** In lower case, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The answer of a person about a host that is not on the list. */
export type HostDecision = "allow" | "deny";

/** The hosts that a sandbox may reach: `example.com`, `*.example.com`, each with `:port` or without, private ones by address. */
export interface SandboxHosts {
  /** As they are written. */
  readonly entries: readonly string[];
  /** @throws HostError `config_invalid` for what is no such entry */
  add(entry: string): void;
  remove(entry: string): void;
}

/** The walls of one session: each of its programs is started through `wrap`. Disposing it removes its folder. */
export interface Sandbox extends AsyncDisposable {
  /** The folder, outside, that programs inside see as `/tmp`. */
  readonly tempDir: string;
  readonly hosts: SandboxHosts;
  /** Programs inside find the system's own where they are outside. */
  readonly hasSystem?: true;
  /** The port, on what programs inside take for this machine, where the way out begins. */
  readonly proxyPort: number;
  /** Hosts that were refused in this session, the newest last. */
  readonly refusedHosts: readonly RefusedHost[];
  /** What this wall cannot do on this machine, a sentence each. */
  readonly gaps: readonly string[];
  /** The program inside with which it can be tried to reach what is outside, where the engine does not say it. */
  readonly interpreter?: "perl" | "python3" | "node" | "nc" | "bash" | undefined;
  /**
   * Puts the wall around a program.
   *
   * @throws HostError `outside_workspace` for a working directory that is not inside
   */
  wrap(start: ProgramStart): Promise<WrappedProgram>;
  /** Where walls can be put up ahead. */
  readonly ahead?: WallsAhead | undefined;
}
