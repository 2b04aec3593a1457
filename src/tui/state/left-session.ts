import type { ViewState } from "./view-state.ts";

/** The session that a client showed last, in which there is a conversation. */
export interface LeftSession {
  readonly id: string;
  /** A turn of it was running. */
  readonly running: boolean;
}

/** The shown session, when there is a conversation in it. */
export const leftSession = ({ session, turn }: ViewState): LeftSession | undefined =>
  session?.talked === true ? { id: session.id, running: turn !== undefined } : undefined;
