import { userInfo } from "node:os";
import { PROXY_SOCKET, RELAY_PORT } from "../sandbox/linux/first-program.ts";
import type { ContainerBound, ContainerEngine } from "./engine.ts";
import { type Mount, mountArguments } from "./mounts.ts";
import { OWN_INSIDE } from "./scripts.ts";

/** The label by which the containers of a host are found. */
export const HOST_LABEL = "agent.host";

/** The description of one container. */
export interface ContainerPlan {
  readonly name: string;
  readonly mounts: readonly Mount[];
  /** Whether SELinux is in force here: it would keep the container from the workspace. */
  readonly confined: boolean;
  /** Whether the engine has a first program of its own, which buries what is left behind. */
  readonly init: boolean;
}

/** The call that starts a container and stays as long as that runs. */
export function runArguments(engine: ContainerEngine, plan: ContainerPlan): readonly string[] {
  const { program, settings, hostId } = engine;
  const { network, image, options } = settings;
  const usesProxy = network === "proxy";
  const parts: readonly (readonly string[])[] = [
    ["run", "--rm", "--interactive", "--name", plan.name, "--label", `${HOST_LABEL}=${hostId}`],
    plan.init ? ["--init"] : [],
    ["--hostname", "container", "--workdir", "/", "--entrypoint", "/bin/sh", "--no-healthcheck"],
    ["--network", usesProxy ? "none" : network, "--log-driver", "none"],
    ["--read-only", "--tmpfs", "/run:rw,nosuid,nodev,mode=755"],
    ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    plan.confined ? ["--security-opt", "label=disable"] : [],
    program === "podman" ? ["--pull", "never", "--http-proxy=false", "--systemd=false"] : ["--pull", "never"],
    userArguments(engine),
    boundArguments(engine),
    mountArguments(plan.mounts),
    options,
    [image, `${OWN_INSIDE}/stay`, usesProxy ? PROXY_SOCKET : "", String(RELAY_PORT)],
  ];
  return parts.flat();
}

/** Files that are made inside belong to the person. */
function userArguments({ program, rootless, settings: { user } }: ContainerEngine): readonly string[] {
  if (user === "image") return [];
  if (user !== "host") return ["--user", user];
  const { uid, gid } = userInfo();
  if (!rootless) return ["--user", `${uid}:${gid}`];
  return program === "podman" ? ["--userns", "keep-id", "--user", `${uid}:${gid}`] : ["--user", "0:0"];
}

function boundArguments({ unbounded, settings }: ContainerEngine): readonly string[] {
  const { memory, cpus, pids } = settings;
  const can = (bound: ContainerBound): boolean => !unbounded.includes(bound);
  return [
    ...(can("memory") ? ["--memory", memory, "--memory-swap", memory] : []),
    ...(can("cpus") && cpus !== undefined ? ["--cpus", String(cpus)] : []),
    ...(can("pids") ? ["--pids-limit", String(pids)] : []),
  ];
}

/** What the walls of a container cannot do here, a sentence each. */
export function gapsOf({ unbounded, settings, rootless }: ContainerEngine): readonly string[] {
  const { network, user } = settings;
  const isRoot = user === "host" && userInfo().uid === 0 && !rootless;
  return [
    ...unbounded.map((bound) => `The engine cannot bound ${BOUND_WORDS[bound]} on this machine.`),
    ...(network === "proxy" || network === "none"
      ? []
      : [
          `container.network is ${network}: programs reach all that this network leads to, without sandbox.hosts.`,
        ]),
    ...(isRoot
      ? ["The host runs as root, so programs in the container are root too, without its privileges."]
      : []),
  ];
}

const BOUND_WORDS: Readonly<Record<ContainerBound, string>> = {
  memory: "the memory",
  cpus: "the processors",
  pids: "the number of processes",
};
