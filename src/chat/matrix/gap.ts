import type { Clock } from "../../shared/async/clock.ts";
import { askPatiently } from "../port/patience.ts";
import type { MatrixApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";
import { MATRIX_READ_BACK_MS } from "./limits.ts";
import { type MatrixEvent, MessagesWire } from "./wire.ts";

const PAGE = 100;
const MOST_PAGES = 20;

/** A gap in the news of a room: more happened than news hold. */
export interface TimelineGap {
  readonly roomId: string;
  /** Where the news begin. */
  readonly before: string;
  /** Where the news before them ended. */
  readonly since: string;
  /** What lies before such an event is none of ours. */
  readonly isBegin: (event: MatrixEvent) => boolean;
}

/**
 * Reads what is missing, the oldest first: a day and 2,000 events back at most.
 * https://spec.matrix.org/latest/client-server-api/#get_matrixclientv3roomsroomidmessages
 */
export async function readGap(
  { api, clock }: { readonly api: MatrixApi; readonly clock: Clock },
  { roomId, before, since, isBegin }: TimelineGap,
  signal: AbortSignal,
): Promise<readonly MatrixEvent[]> {
  const oldest = clock.now() - MATRIX_READ_BACK_MS;
  const found: MatrixEvent[] = [];
  let from = before;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = { dir: "b", from, to: since, limit: String(PAGE) };
    const path = pathOf("rooms", roomId, "messages");
    const answer = await askPatiently(clock, signal, () => api.call(path, { query, signal }));
    const { data } = MessagesWire.safeParse(answer);
    if (data === undefined) break;
    for (const event of data.chunk) {
      if (event.origin_server_ts < oldest) return found.toReversed();
      found.push(event);
      if (isBegin(event)) return found.toReversed();
    }
    if (data.end === undefined || data.end === from) break;
    from = data.end;
  }
  return found.toReversed();
}
