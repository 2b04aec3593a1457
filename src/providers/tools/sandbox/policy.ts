import type { Clock } from "../../../shared/async/clock.ts";
import type { Machine } from "../machine.ts";
import type { ContainerEngine } from "../container/engine.ts";
import type { HostDecision, HostTarget } from "./port.ts";

/** The description of the sandbox of one session. */
export interface SandboxPolicy {
  /** The folders of the workspace, absolute; only they and the session's own folder can be written. */
  readonly roots: readonly string[];
  /** Absolute real paths that are never inside: the agent's home. */
  readonly apart: readonly string[];
  /** The person's home folder. */
  readonly home: string;
  /** The folder in which the session's own one is made; a short path. */
  readonly tempDir: string;
  /** Folders and files besides that can be read, absolute. */
  readonly readable?: readonly string[];
  /** Hosts that can be reached, as `SandboxHosts` has them; none by default. */
  readonly hosts?: readonly string[];
  /** Asks a person about a host that is not on the list, while the program waits; without it such hosts are refused. */
  readonly onUnlisted?: (target: HostTarget) => Promise<HostDecision>;
  readonly limits?: SandboxLimits;
}

/** The bounds of what runs inside at a time. */
export interface SandboxLimits {
  /** Processes and threads; 2000 by default. */
  readonly processes?: number;
}

/** The tools with which a sandbox is opened. */
export interface SandboxTools {
  readonly machine: Machine;
  readonly clock: Clock;
}

/** The program that builds the walls on this machine, as it was found and tried. */
export type SandboxEngine = BubblewrapEngine | SeatbeltEngine | ContainerEngine;

/** Linux: the system's `bwrap`. */
export interface BubblewrapEngine {
  readonly kind: "bubblewrap";
  readonly file: string;
  readonly version: string;
  /** Whether it can forbid further user namespaces by itself; the filter does so in any case. */
  readonly disablesUserNamespaces: boolean;
  readonly architecture: "x64" | "arm64";
  readonly first: FirstProgram;
}

/** The interpreter that runs first inside. */
export interface FirstProgram {
  readonly name: "perl" | "python3" | "node";
  readonly file: string;
}

/** macOS: `sandbox-exec`. */
export interface SeatbeltEngine {
  readonly kind: "seatbelt";
  readonly file: string;
}

/** A missing sandbox: why, and what to do. */
export interface SandboxAbsence {
  readonly available: false;
  /** A sentence. */
  readonly reason: string;
  /** A sentence. */
  readonly advice: string;
}

/** The answer to whether this machine has a sandbox. */
export type SandboxAvailability =
  | { readonly available: true; readonly engine: SandboxEngine }
  | SandboxAbsence;
