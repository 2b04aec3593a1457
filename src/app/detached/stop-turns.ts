import type { Host, Origin, Session } from "../../core/index.ts";

/** Stops all turns that run in this process, with what is queued behind them. */
export async function stopTurns(host: Host, from: Origin): Promise<void> {
  await Promise.all(
    host
      .live()
      .filter(({ driving }) => driving)
      .map((session) => stopSession(session, from)),
  );
}

/** Stops the turn of a session, in whichever process it runs, and takes back what is queued behind it. */
export async function stopSession(session: Session, from: Origin): Promise<boolean> {
  const { queue } = await session.refresh();
  if (queue.length > 0) await session.drop(queue.map(({ prompt }) => prompt.id));
  const { interrupted } = await session.interrupt({ from });
  return interrupted;
}
