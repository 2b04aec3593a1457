import { readTimeline } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { seconds } from "../encode/time.ts";
import { encodeTurnTimeline } from "../encode/timeline.ts";
import type { TIMELINE_METHODS } from "../protocol/timeline.ts";
import type { HandlersOf } from "./handler.ts";

export const TIMELINE_HANDLERS: HandlersOf<typeof TIMELINE_METHODS> = {
  async "session.timeline"({ session_id, limit, before }, { gateway }) {
    const { store, clock } = gateway.host.services;
    const session = await gateway.session(session_id);
    const now = clock.now();
    const page = await readTimeline(
      store,
      { id: session.id, state: await session.refresh() },
      { limit, now, ...defined({ before }) },
    );
    return {
      turns: page.turns.map(encodeTurnTimeline),
      now: seconds(now),
      ...defined({ before: page.before }),
    };
  },
};
