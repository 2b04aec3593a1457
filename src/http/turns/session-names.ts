import type { Host } from "../../core/index.ts";

const SPACE = "http.session-keys";
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** The newest session under a session key, when it is there and not ended. */
export async function sessionUnder(host: Host, scope: string): Promise<string | undefined> {
  const record = await host.services.store.records.get(SPACE, scope);
  if (record === undefined) return undefined;
  const session = await host.record(record.value);
  return session === undefined || session.state.endReason !== undefined ? undefined : session.id;
}

/** Remembers the session that was used last under a session key. */
export async function putSessionUnder({ services }: Host, scope: string, sessionId: string): Promise<void> {
  const expiresAt = services.clock.now() + KEPT_MS;
  await services.store.records.put({ space: SPACE, key: scope, value: sessionId, expiresAt });
}
