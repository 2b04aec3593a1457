import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { messageOf } from "../../../shared/errors/host-error.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import type { Machine } from "../machine.ts";
import { childEnvironment } from "../spawn/environment.ts";
import { findProgram } from "../spawn/find-program.ts";
import { type RunEnd, runToEnd } from "../spawn/run-to-end.ts";
import type { BoundedOutput } from "../spawn/bounded-output.ts";
import type { Spawner } from "../spawn/spawner.ts";
import type { BubblewrapEngine, FirstProgram, SandboxAbsence, SandboxAvailability } from "./policy.ts";
import { isFilterArchitecture } from "./seccomp/filter.ts";

/** The parts with which it is found out whether this machine has a sandbox. */
export interface AvailabilityOptions {
  readonly machine: Machine;
  readonly spawner: Spawner;
  readonly clock: Clock;
  /** The processor, as Node names it. */
  readonly arch: string;
}

/** Where the system keeps its programs: a folder of the person's own comes later. */
const SYSTEM_PATH = "/usr/bin:/bin:/usr/local/bin";
const PATIENCE_MS = 10_000;

/** Finds the program that builds the walls, and starts something in them to see that it can. */
export async function sandboxAvailability(options: AvailabilityOptions): Promise<SandboxAvailability> {
  const { machine, arch } = options;
  if (machine.platform === "darwin") return await findSeatbelt();
  if (machine.platform !== "linux") {
    return absent(
      `There is no sandbox for ${machine.platform}.`,
      "Use Linux (also WSL 2) or macOS, or terminal.backend: container.",
    );
  }
  if (!isFilterArchitecture(arch)) {
    return absent(`There is no sandbox for ${arch} processors.`, "Use terminal.backend: container.");
  }
  const path = childEnvironment(machine.env)["PATH"];
  const file = findProgram("bwrap", SYSTEM_PATH) ?? findProgram("bwrap", path);
  if (file === undefined) {
    return absent(
      "bubblewrap is not installed.",
      "Install it: apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap or apk add bubblewrap.",
    );
  }
  const version = /\d+(?:\.\d+)+/.exec(await said(file, ["--version"], options))?.[0] ?? "0";
  const engine: BubblewrapEngine = {
    kind: "bubblewrap",
    file,
    version,
    disablesUserNamespaces: isAtLeast(version, 0, 8),
    architecture: arch,
    first: await findFirst(machine),
  };
  const problem = await tried(engine, options);
  return problem === undefined ? { available: true, engine } : problem;
}

/** Perl and Python by their places in the system: nothing of a workspace or of the person runs before the wall stands. */
async function findFirst(machine: Machine): Promise<FirstProgram> {
  for (const name of ["perl", "python3"] as const) {
    const file = findProgram(name, "/usr/bin:/bin");
    if (file !== undefined) return { name, file };
  }
  return { name: "node", file: machine.execPath };
}

const isAtLeast = (version: string, major: number, minor: number): boolean => {
  const [first = 0, second = 0] = version.split(".").map(Number);
  return first > major || (first === major && second >= minor);
};

async function tried(
  { file, disablesUserNamespaces }: BubblewrapEngine,
  options: AvailabilityOptions,
): Promise<SandboxAbsence | undefined> {
  const walls = [
    "--die-with-parent",
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    ...(disablesUserNamespaces ? ["--disable-userns"] : []),
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "true",
  ];
  const end = await runIt(file, walls, options);
  if (end instanceof Error)
    return absent(`bubblewrap cannot be started: ${end.message}.`, "Install it again.");
  if (end.code === 0) return undefined;
  const words = textOf(end.stderr).trim().split("\n").at(-1) ?? "";
  return absent(
    `bubblewrap cannot build its walls here: ${words || `it ended with ${end.code}`}.`,
    await adviceFor(),
  );
}

/** What has to be changed on a machine where user namespaces are refused. */
async function adviceFor(): Promise<string> {
  const [userns, apparmor, most] = await Promise.all(
    ["unprivileged_userns_clone", "apparmor_restrict_unprivileged_userns"]
      .map((name) => `/proc/sys/kernel/${name}`)
      .concat("/proc/sys/user/max_user_namespaces")
      .map((path) =>
        readFile(path, "utf8").then(
          (text) => text.trim(),
          () => undefined,
        ),
      ),
  );
  if (userns === "0") {
    return "Allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1, and a file in /etc/sysctl.d to keep it.";
  }
  if (most === "0") return "Allow user namespaces: sysctl -w user.max_user_namespaces=15000.";
  if (apparmor === "1") {
    return "AppArmor forbids user namespaces. Allow them for bubblewrap: install apparmor-profiles and put its bwrap-userns-restrict profile into /etc/apparmor.d, or run sysctl -w kernel.apparmor_restrict_unprivileged_userns=0.";
  }
  return "In a container, start it so that user namespaces and mounts are allowed (docker: --security-opt seccomp=unconfined --security-opt apparmor=unconfined), or use terminal.backend: container on the machine itself.";
}

async function findSeatbelt(): Promise<SandboxAvailability> {
  const file = "/usr/bin/sandbox-exec";
  try {
    await access(file, constants.X_OK);
    return { available: true, engine: { kind: "seatbelt", file } };
  } catch {
    return absent("This macOS has no sandbox-exec.", "Use terminal.backend: container.");
  }
}

async function said(file: string, args: readonly string[], options: AvailabilityOptions): Promise<string> {
  const end = await runIt(file, args, options);
  return end instanceof Error ? "" : textOf(end.stdout);
}

async function runIt(
  file: string,
  args: readonly string[],
  { spawner, clock }: AvailabilityOptions,
): Promise<RunEnd | Error> {
  try {
    return await runToEnd(
      { spawner, clock },
      {
        file,
        args,
        cwd: "/",
        label: "bubblewrap",
        timeoutMs: PATIENCE_MS,
        keep: { head: 2000, tail: 2000 },
        signal: new AbortController().signal,
      },
    );
  } catch (error) {
    return error instanceof Error ? error : new Error(messageOf(error));
  }
}

const textOf = (output: BoundedOutput): string => Buffer.from(output.ends().head).toString();

const absent = (reason: string, advice: string): SandboxAbsence => ({ available: false, reason, advice });
