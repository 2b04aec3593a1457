/** The params of every request about a session. */
export interface InSession {
  readonly sessionId: string;
}
