import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { isTooWide, isUnder, realRoots } from "../workspace/roots.ts";
import type { SandboxAbsence, SandboxEngine, SandboxPolicy, SandboxTools } from "./policy.ts";
import type { Sandbox } from "./port.ts";

/** The sandbox of a session, or why there can be none. */
export type OpenedSandbox = { readonly available: true; readonly sandbox: Sandbox } | SandboxAbsence;

/**
 * Opens the sandbox of a session.
 *
 * @throws HostError `config_invalid` for an entry of `hosts` that is no host
 */
export async function openSandbox(
  engine: SandboxEngine,
  policy: SandboxPolicy,
  tools: SandboxTools,
): Promise<OpenedSandbox> {
  const reason = await whyNoPlace(policy);
  if (reason !== undefined) {
    return { available: false, reason, advice: "Open a folder of the project as the workspace." };
  }
  switch (engine.kind) {
    case "bubblewrap": {
      const { openBubblewrap } = await import("./linux/bubblewrap.ts");
      return { available: true, sandbox: await openBubblewrap({ engine, policy, tools }) };
    }
    case "seatbelt": {
      const { openSeatbelt } = await import("./macos/seatbelt.ts");
      const { recoverAbandoned } = await import("./abandoned.ts");
      await recoverAbandoned(policy.tempDir, policy.roots, tools.clock.now());
      return { available: true, sandbox: await openSeatbelt({ engine, policy, tools }) };
    }
    case "container": {
      const { openContainer } = await import("../container/open-container.ts");
      return await openContainer({ engine, policy, tools });
    }
  }
}

/** Folders that hold much more than one project. */
const SYSTEM = new Set([
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/home",
  "/lib",
  "/lib64",
  "/opt",
  "/proc",
  "/root",
  "/run",
  "/sbin",
  "/srv",
  "/sys",
  "/tmp",
  "/usr",
  "/usr/local",
  "/var",
  "/Users",
  "/Library",
  "/System",
  "/Applications",
  "/private",
]);

/** The reason, a sentence, why a workspace cannot be walled in: it holds what has to stay outside. */
async function whyNoPlace({ roots, apart, home, tempDir }: SandboxPolicy): Promise<string | undefined> {
  if (roots.length === 0) return "The session has no workspace.";
  if (isTooWide(roots, home)) return "The workspace is, or holds, the home folder or the whole disk.";
  const real = realRoots(roots);
  const [temp = tempDir] = realRoots([tempDir]);
  for (const root of real) {
    if (SYSTEM.has(root) || ["/proc", "/sys", "/dev"].some((folder) => isUnder(root, folder)))
      return `The workspace ${root} is a folder of the system.`;
    if (await isHomeFolder(root)) return `The workspace ${root} is a home folder.`;
    if (apart.some((folder) => isUnder(folder, root)))
      return `The workspace ${root} holds the agent's own home.`;
    if (apart.some((folder) => isUnder(root, folder)))
      return `The workspace ${root} lies in the agent's own home.`;
    if (isUnder(temp, root)) return `The workspace ${root} holds the folder for temporary files.`;
  }
  return undefined;
}

async function isHomeFolder(root: string): Promise<boolean> {
  const parent = dirname(root);
  const homes = await Promise.all(["/home", "/Users"].map((path) => realpath(path).catch(() => path)));
  return homes.includes(parent);
}
