import type { ClientEvent } from "./events.ts";

/** The sessions that a client follows, and the cursor up to which it has seen each. */
export class FollowedSessions extends Map<string, number> {
  /** Learns from an answer which sessions events will come of. */
  answered(method: string, params: unknown, result: unknown): void {
    const { session_id: named } = (params ?? {}) as { session_id?: string };
    switch (method) {
      case "session.create":
      case "session.activate":
      case "session.resume":
      case "session.branch": {
        // These answers begin a reading at their cursor.
        const { session_id, seq } = result as { session_id: string; seq: number };
        this.set(session_id, seq);
        return;
      }
      case "prompt.submit": {
        const { seq } = result as { seq: number };
        if (named !== undefined && !this.has(named)) this.set(named, seq);
        return;
      }
      case "session.close":
      case "session.delete":
        if (named !== undefined) this.delete(named);
        return;
      default:
    }
  }

  seen({ type, session_id, seq }: ClientEvent): void {
    if (session_id === undefined || session_id === "") return;
    const last = this.get(session_id);
    if (last === undefined) return;
    if (type === "session.reclaimed") this.delete(session_id);
    else if (seq !== undefined && seq > last) this.set(session_id, seq);
  }
}
