import type { SessionActor } from "./session-actor.ts";

/**
 * Notes the ends of commands in the background that nobody else can note: they ended with the host that ran them.
 *
 * @param isGone - whether a host is gone, by its id
 */
export async function endLostProcesses(
  actor: SessionActor,
  isGone: (hostId: string) => Promise<boolean>,
): Promise<void> {
  const { processes } = await actor.refresh();
  for (const { processId, command, hostId } of processes) {
    if (!(await isGone(hostId))) continue;
    const end = { exitCode: null, signal: null, withHost: true } as const;
    await actor.run("processOver", { processId, command, ...end });
  }
}
