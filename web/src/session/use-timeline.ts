import { useCallback, useEffect, useRef, useState } from "react";
import type { ClientEvent } from "../../../src/rpc/client/events.ts";
import { useGateway } from "../client/gateway.ts";
import type { TurnTimeline } from "./timeline.ts";

/** Turns that are read at once. */
const PAGE = 100;
/** Turns that may have changed since they were read. */
const NEWEST = 3;

/** Events after which the newest turn looks different. */
const CHANGES =
  /^(?:message\.(?:start|complete)|tool\.(?:start|complete)|session\.(?:usage|compacted)|history\.changed|subagent\.(?:start|complete)|\w+\.(?:request|resolved|expire)|gateway\.reconnected)$/;

/** The turns of a followed session. */
export interface SessionTimeline {
  readonly turns: readonly TurnTimeline[];
  /** When the newest were read, by this machine's clock; milliseconds. */
  readonly readAt: number;
  /** Reads turns down to the one with this row. */
  readonly reach: (row: number) => Promise<void>;
}

/** Keeps the time lines of a session's turns while the part is shown. One request is under way at a time. */
export function useTimeline(id: string): SessionTimeline {
  const client = useGateway();
  const [known, setKnown] = useState<Omit<SessionTimeline, "reach">>({ turns: [], readAt: 0 });
  const all = useRef(new Map<string, TurnTimeline>());
  const older = useRef<number>(undefined);
  const busy = useRef(false);
  const again = useRef(false);

  const keep = useCallback((turns: readonly TurnTimeline[]) => {
    for (const turn of turns) all.current.set(turn.turn_id, turn);
    const sorted = [...all.current.values()].sort((a, b) => a.row_id - b.row_id);
    setKnown({ turns: sorted, readAt: Date.now() });
  }, []);

  const refresh = useCallback(
    async (limit: number) => {
      again.current = busy.current;
      if (busy.current) return;
      busy.current = true;
      try {
        const page = await client.request("session.timeline", { session_id: id, limit });
        if (limit === PAGE) older.current = page.before;
        keep(page.turns);
      } catch {
        // The conversation says what is wrong with the session; the next event asks again.
      } finally {
        busy.current = false;
        if (again.current) void refresh(NEWEST);
      }
    },
    [client, id, keep],
  );

  useEffect(() => {
    all.current = new Map();
    older.current = undefined;
    void refresh(PAGE);
    return client.subscribe((event: ClientEvent) => {
      const isOurs = event.type === "gateway.reconnected" || event.session_id === id;
      if (isOurs && CHANGES.test(event.type)) void refresh(event.type === "history.changed" ? PAGE : NEWEST);
    });
  }, [client, id, refresh]);

  const reach = useCallback(
    async (row: number) => {
      while (older.current !== undefined && older.current > row) {
        const page = await client.request("session.timeline", {
          session_id: id,
          limit: PAGE,
          before: older.current,
        });
        older.current = page.before;
        keep(page.turns);
      }
    },
    [client, id, keep],
  );

  return { ...known, reach };
}
