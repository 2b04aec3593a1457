import { chmod, mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";
import { type Root, treesAbove } from "../sandbox/linux/arguments.ts";
import { WorkspaceLook } from "../sandbox/look/workspace-look.ts";
import { NetworkGate } from "../sandbox/network/gate.ts";
import { HostList } from "../sandbox/network/host-list.ts";
import { SandboxProxy } from "../sandbox/network/proxy.ts";
import type { SandboxAbsence, SandboxPolicy, SandboxTools } from "../sandbox/policy.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { openSessionFolder } from "../sandbox/session-folder.ts";
import { ContainerSandbox } from "./container-sandbox.ts";
import type { ContainerEngine } from "./engine.ts";
import { OWN_FILES } from "./scripts.ts";

/** The parts with which the container of a session is opened. */
export interface OpenParts {
  readonly engine: ContainerEngine;
  readonly policy: SandboxPolicy;
  readonly tools: SandboxTools;
}

/** The container of a session, or why there can be none. */
export type OpenedContainer = { readonly available: true; readonly sandbox: Sandbox } | SandboxAbsence;

/** Opens the container of a session and waits until it can be used. */
export async function openContainer(parts: OpenParts): Promise<OpenedContainer> {
  try {
    return { available: true, sandbox: await open(parts, true) };
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "tool_failed") throw error;
    if (!NO_INIT.test(error.message)) return absentFor(error, parts);
  }
  try {
    return { available: true, sandbox: await open(parts, false) };
  } catch (error) {
    if (error instanceof HostError && error.code === "tool_failed") return absentFor(error, parts);
    throw error;
  }
}

/** Podman's words when the program is missing that buries what is left behind. */
const NO_INIT = /container-init|catatonit|docker-init|tini/i;

const absentFor = ({ message }: HostError, { engine }: OpenParts): SandboxAbsence => ({
  available: false,
  reason: message.replace(/(?<![?.])$/, "."),
  advice: `Try it in a shell: ${engine.program} run --rm ${engine.settings.image} true.`,
});

async function open({ engine, policy, tools }: OpenParts, init: boolean): Promise<Sandbox> {
  const hosts = new HostList(policy.hosts ?? []);
  const gate = new NetworkGate({ hosts, clock: tools.clock, onUnlisted: policy.onUnlisted });
  const stack = new AsyncDisposableStack();
  try {
    const folder = stack.use(await openSessionFolder(policy.tempDir, policy.home));
    const own = join(folder.path, "own");
    await mkdir(join(own, "ended"), { recursive: true });
    for (const [name, text] of Object.entries(OWN_FILES))
      await writeFile(join(own, name), text, { mode: 0o644 });
    const proxy = stack.use(new SandboxProxy(gate));
    await proxy.listen(folder.proxy);
    // Somebody else inside is somebody else outside, too; the folder around them stays closed.
    if (engine.settings.user !== "host") {
      await Promise.all([folder.temp, folder.home, folder.proxy].map((path) => chmod(path, 0o777)));
    }
    const roots = await Promise.all(
      policy.roots.map(async (spelled): Promise<Root> => ({ spelled, real: await realpath(spelled) })),
    );
    const above = treesAbove({ policy }, roots);
    const look = new WorkspaceLook(
      roots.map(({ real }) => real),
      above,
    );
    const sandbox = new ContainerSandbox({
      engine,
      policy,
      tools,
      folder,
      gate,
      hosts,
      look,
      stack,
      roots,
      above,
      own,
      init,
    });
    await sandbox.ready();
    return sandbox;
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
