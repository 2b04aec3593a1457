import { realpath } from "node:fs/promises";
import { HostError } from "../../../../shared/errors/host-error.ts";
import { childEnvironment } from "../../spawn/environment.ts";
import { isUnder } from "../../workspace/roots.ts";
import { innerEnvironment } from "../inner-environment.ts";
import { programFolders, toolchainHomes } from "../program-folders.ts";
import { HostList } from "../network/host-list.ts";
import { wayOut } from "../network/way-out.ts";
import type { SandboxPolicy, SandboxTools, SeatbeltEngine } from "../policy.ts";
import type { Sandbox } from "../port.ts";
import { openSessionFolder } from "../session-folder.ts";
import { seatbeltProfile } from "./profile.ts";

interface Parts {
  readonly engine: SeatbeltEngine;
  readonly policy: SandboxPolicy;
  readonly tools: SandboxTools;
}

/**
 * Opens the sandbox of a session on macOS. There are no namespaces: processes outside can be seen, not signalled, and the
 * proxy listens on a port of this machine. It has not run here; only its profile is held by tests, as text.
 */
export async function openSeatbelt({ engine, policy, tools }: Parts): Promise<Sandbox> {
  const hosts = new HostList(policy.hosts ?? []);
  const { gate, proxy: way } = wayOut(policy, hosts, tools);
  const stack = new AsyncDisposableStack();
  try {
    const folder = stack.use(await openSessionFolder(policy.tempDir, policy.home));
    const proxy = stack.use(way);
    const port = await proxy.listenLocally();
    const roots = await Promise.all(policy.roots.map((root) => realpath(root)));
    const { home, apart, readable = [] } = policy;
    const env = childEnvironment(tools.machine.env);
    const programs = await programFolders(env, { home, apart, roots }, tools.machine.execPath);
    const writable = [folder.temp, folder.home];
    const profile = seatbeltProfile({
      roots,
      writable,
      readable: [...programs, ...readable],
      kept: [],
      hidden: [],
      proxyPort: port,
    });
    const places = { home: folder.home, temp: folder.temp, proxyPort: port, user: "agent" };
    return {
      tempDir: folder.temp,
      hosts,
      proxyPort: port,
      hasSystem: true,
      gaps: ["Other processes of this machine can be seen from inside, though not signalled."],
      get refusedHosts() {
        return gate.refused;
      },
      async wrap(start) {
        const cwd = await realpath(start.cwd);
        if (![...roots, ...writable, ...readable].some((root) => isUnder(cwd, root)))
          throw new HostError(
            "outside_workspace",
            `${cwd} is not inside the sandbox; run the command in the workspace`,
          );
        const began = tools.clock.now();
        return {
          file: engine.file,
          args: ["-p", profile, start.file, ...start.args],
          cwd,
          env: { ...innerEnvironment({ ...toolchainHomes(home), ...start.base }, places), ...start.env },
          descriptors: [],
          release: () => undefined,
          findings: async () => {
            const refusedHosts = gate.refused.filter(({ at }) => at >= began);
            return { refusedHosts, disarmed: [], obeyed: [] };
          },
        };
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
