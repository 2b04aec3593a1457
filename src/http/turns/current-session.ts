import type { Host, Session } from "../../core/index.ts";

/** A session up to date, also when the process that drove it is gone; `undefined` when there is none. */
export async function currentSession(host: Host, id: string): Promise<Session | undefined> {
  const record = await host.record(id);
  if (record === undefined) return undefined;
  const isOrphan = record.owner !== undefined && !record.owner.alive && record.state.turn !== undefined;
  if (isOrphan) await host.sweep();
  const session = await host.session(id);
  await session.refresh();
  return session;
}
