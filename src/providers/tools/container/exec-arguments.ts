import { innerEnvironment } from "../sandbox/inner-environment.ts";
import { HOME_INSIDE } from "../sandbox/linux/system-folders.ts";
import { RELAY_PORT } from "../sandbox/linux/first-program.ts";
import type { ProgramStart } from "../sandbox/port.ts";
import { isUsualVariable } from "../spawn/environment.ts";
import { MARKER } from "../spawn/process-tree.ts";
import type { ContainerEngine } from "./engine.ts";
import { CALL, OWN_INSIDE } from "./scripts.ts";

/** One program of a session in its container. */
export interface ContainerCall {
  readonly engine: ContainerEngine;
  readonly container: string;
  /** Its own among all calls. */
  readonly id: string;
  /** Absolute, as it is inside. */
  readonly cwd: string;
  readonly start: ProgramStart;
}

/** Variables that the engine's own program obeys, or marks of ours that it must not bear: they are given by value. */
const ENGINES_OWN =
  /^(?:AGENT_.*|PATH|HOME|USER|LOGNAME|PWD|TMPDIR|SHELL|LANG|LC_.*|XDG_.*|DOCKER_.*|CONTAINERS?_.*|PODMAN_.*|BUILDAH_.*|STORAGE_.*|REGISTRY_.*|LD_.*|GO.*|SSL_.*|SSH_.*|DBUS_.*|NOTIFY_.*|LISTEN_.*|.*_PROXY)$/i;

/** The arguments and variables with which the engine starts a program in a container that runs. */
export function execArguments({ engine, container, id, cwd, start }: ContainerCall): {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  const inner: Readonly<Record<string, string>> = { ...variablesInside(engine, start), [CALL]: id };
  const { [MARKER]: mark = id, ...named } = inner;
  const args = Object.entries(named).flatMap(([name, value]) => {
    if (!/^[A-Za-z_]\w*$/.test(name)) return [];
    // A value on the command line could be read by all users of this machine.
    return ["--env", ENGINES_OWN.test(name) ? `${name}=${value}` : name];
  });
  const passed = Object.entries(named).filter(([name]) => !ENGINES_OWN.test(name));
  const script = ["/bin/sh", `${OWN_INSIDE}/run`, mark, MARKER, start.joined === true ? "1" : ""];
  return {
    args: [
      "exec",
      "--interactive",
      "--workdir",
      cwd,
      ...args,
      container,
      ...script,
      start.file,
      ...start.args,
    ],
    env: { ...Object.fromEntries(passed), ...engine.commands.environment },
  };
}

/** Variables of programs inside: none that describes this machine, all that the owner lets commands see. */
function variablesInside(
  { settings: { network } }: ContainerEngine,
  { base, env }: ProgramStart,
): Record<string, string> {
  const chosen = Object.fromEntries(Object.entries(base).filter(([name]) => !isUsualVariable(name)));
  const places = { home: HOME_INSIDE, temp: "/tmp", user: "agent", proxyPort: RELAY_PORT };
  const isWayOut = (name: string): boolean => /_proxy$/i.test(name) || name === "NODE_USE_ENV_PROXY";
  const own = Object.entries(innerEnvironment(chosen, places)).filter(
    ([name]) => network === "proxy" || !isWayOut(name),
  );
  return { LANG: "C.UTF-8", ...Object.fromEntries(own), ...env };
}
