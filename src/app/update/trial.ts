import { once } from "node:events";
import { rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";
import type { Backup } from "../backup/backups.ts";
import { copyTree } from "../backup/copy-tree.ts";
import { type OwnProgram, startProgram } from "../process/own-program.ts";

const Ready = z.object({ version: z.string(), url: z.string() });
const Health = z.object({ status: z.string(), version: z.string() });
/** Milliseconds in which a version must be healthy. */
export const HEALTHY_MS = 60_000;

/**
 * Starts another version on a copy of the home, where it connects to nothing, and asks its health.
 *
 * @throws HostError `conflict` with what it said when it is not healthy within a minute
 */
export async function tryVersion(
  { program, version }: { readonly program: string; readonly version: string },
  { backup, folder, own }: { readonly backup: Backup; readonly folder: string; readonly own: OwnProgram },
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  makeFolder(folder);
  try {
    await copyTree(backup.home, folder, { takes: (name) => name !== "blobs" });
    makeFolder(join(folder, "blobs"));
    await copyTree(join(backup.home, "blobs"), join(folder, "blobs"), { shares: true });
    const { AGENT_PROFILE: _none, ...env } = own.env;
    await using started = startProgram([program, "gateway", "try"], {
      ...own,
      env: { ...env, AGENT_HOME: folder },
      signal: AbortSignal.timeout(HEALTHY_MS),
    });
    const { url } = Ready.parse(JSON.parse(await started.line()));
    const health = await healthAt(url);
    if (health.status === "ok" && health.version === version) return;
    throw new HostError("conflict", `it reports ${health.status} as version ${health.version}`);
  } catch (cause) {
    const words = cause instanceof HostError ? cause.message : String(cause);
    throw new HostError(
      "conflict",
      `Version ${version} is not healthy on a copy of this home, and nothing was changed: ${words}`,
      { cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function healthAt(url: string): Promise<z.output<typeof Health>> {
  const answer = once(get(`${url}/health`, { signal: AbortSignal.timeout(HEALTHY_MS) }), "response");
  // A request that is answered is answered with this.
  const [message] = (await answer) as [IncomingMessage];
  return Health.parse(await json(message));
}
