import type { HostOptions, Row } from "../../core/index.ts";
import type { ServerLog } from "../../http/index.ts";

/**
 * Tells a server's log of the turns of all its sessions: that they begin, how they end, and what they were warned of.
 *
 * @param leftOut - says which files of a workspace are not read; `undefined` when all are
 */
export function turnLog(
  write: ServerLog,
  leftOut: (cwd: string) => string | undefined = () => undefined,
): NonNullable<HostOptions["observe"]> {
  const begun = new Map<string, number>();
  return (session, { event, at }: Row) => {
    switch (event.type) {
      case "session.start": {
        const message = event.cwd === "" ? undefined : leftOut(event.cwd);
        if (message !== undefined) write({ event: "workspace.untrusted", level: "warn", session, message });
        return;
      }
      case "turn.start":
        begun.set(event.turnId, at);
        return write({ event: "turn.started", level: "debug", session, turn: event.turnId });
      case "turn.end": {
        const { turnId: turn, outcome, usage, error } = event;
        const since = begun.get(turn);
        begun.delete(turn);
        return write({
          event: "turn.ended",
          level: error === undefined ? "info" : "error",
          session,
          turn,
          outcome,
          ms: since === undefined ? undefined : at - since,
          calls: usage.calls,
          input: usage.input,
          output: usage.output,
          code: error?.code,
          message: error?.message,
        });
      }
      case "notice":
        if (event.level !== "info")
          write({ event: "turn.notice", level: event.level, session, kind: event.kind, message: event.text });
        return;
      default:
    }
  };
}
