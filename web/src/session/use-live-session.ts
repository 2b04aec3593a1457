import { useCallback, useEffect, useRef, useState } from "react";
import type { ClientEvent } from "../../../src/rpc/client/events.ts";
import { GatewayError } from "../../../src/rpc/client/gateway-error.ts";
import type { Attached } from "../../../src/rpc/protocol/sessions.ts";
import { useGateway } from "../client/gateway.ts";
import { afterEvent, attachedSession, type LiveSession, withOlder } from "./live-session.ts";

/** A followed session, or why it is not there. */
export interface FollowedSession {
  readonly session?: LiveSession;
  readonly fault?: string;
  /** It can only be read up to a damaged row. */
  readonly isDamaged?: boolean;
  /** Reads the messages before the oldest that is shown. */
  readonly readOlder: () => void;
}

/** Messages that are read at once when one goes up. */
const PAGE = 200;

/** Events after which what is shown is read anew. */
const ANEW = new Set(["history.changed", "session.reclaimed"]);

/**
 * Follows a session while the part is shown. Events are put together and shown once a frame, so that a stream costs as much
 * as the screen can show of it.
 */
export function useLiveSession(id: string): FollowedSession {
  const client = useGateway();
  const [followed, setFollowed] = useState<Omit<FollowedSession, "readOlder">>({});
  const current = useRef<LiveSession>(undefined);
  const frame = useRef(0);
  const isReading = useRef(false);
  const newest = useRef<Promise<Attached>>(undefined);

  const attach = useCallback(async () => {
    const answer = client.request("session.resume", { session_id: id, replay_turn: true });
    newest.current = answer;
    // Answers come in any order: one that was overtaken is of another session, or older than what is shown.
    const isOvertaken = (): boolean => newest.current !== answer;
    try {
      const session = attachedSession(await answer);
      if (isOvertaken()) return;
      current.current = session;
      setFollowed({ session });
    } catch (thrown) {
      if (isOvertaken()) return;
      setFollowed({
        fault: thrown instanceof Error ? thrown.message : String(thrown),
        isDamaged: thrown instanceof GatewayError && thrown.data["code"] === "session_damaged",
      });
    }
  }, [client, id]);

  useEffect(() => {
    current.current = undefined;
    setFollowed({});
    void attach();
    const take = (event: ClientEvent): void => {
      if (event.type === "gateway.reconnected") {
        const mine = event.payload.attached.find(({ session_id }) => session_id === id);
        if (mine?.continued !== true) void attach();
        return;
      }
      if (event.session_id !== id || current.current === undefined) return;
      if (ANEW.has(event.type)) return void attach();
      current.current = afterEvent(current.current, event);
      if (frame.current !== 0) return;
      frame.current = requestAnimationFrame(() => {
        frame.current = 0;
        if (current.current !== undefined) setFollowed({ session: current.current });
      });
    };
    const leave = client.subscribe(take);
    return () => {
      leave();
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, [attach, client, id]);

  const readOlder = useCallback(() => {
    const before = current.current?.before;
    if (before === undefined || isReading.current) return;
    isReading.current = true;
    client
      .request("session.history", { session_id: id, before, limit: PAGE })
      .then((page) => {
        isReading.current = false;
        // It may have been read anew meanwhile.
        if (current.current?.before !== before) return;
        current.current = withOlder(current.current, page);
        setFollowed({ session: current.current });
      })
      // Going up again asks again.
      .catch(() => {
        isReading.current = false;
      });
  }, [client, id]);

  return { ...followed, readOlder };
}
