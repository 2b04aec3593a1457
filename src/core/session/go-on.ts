import type { SessionState } from "../state/state.ts";

/** A session whose turn stopped for want of a budget. */
interface ParkedSession {
  readonly state: SessionState;
  confirm(promptIds: readonly string[]): Promise<unknown>;
}

/**
 * Lets a session go on that has a budget again: what was queued runs. Gives the prompt that is to be sent where nothing was.
 */
export async function goOn(session: ParkedSession): Promise<string | undefined> {
  const held = session.state.queue.filter((entry) => entry.held).map(({ prompt }) => prompt.id);
  if (held.length === 0) return "Go on where you stopped.";
  await session.confirm(held);
  return undefined;
}
