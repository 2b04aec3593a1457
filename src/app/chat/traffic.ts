import type { Outbox } from "../../automation/delivery/index.ts";
import { CHAT_PLATFORMS, type ChatPlatform, Inbox } from "../../chat/index.ts";
import type { Clock, Records } from "../../core/index.ts";

/** The messages of a platform in the last day, hour by hour; the last hour is the present one. */
export interface Traffic {
  readonly platform: string;
  /** What people wrote and was accepted. */
  readonly in: readonly number[];
  /** Messages of answers, and texts of jobs, webhooks and tests. */
  readonly out: readonly number[];
}

const HOUR_MS = 3_600_000;
const HOURS = 24;
const MOST = 5000;

/** Counts what went in and out of chat platforms. */
export async function chatTraffic(
  names: ReadonlySet<string>,
  { records, clock, outbox }: { readonly records: Records; readonly clock: Clock; readonly outbox: Outbox },
): Promise<readonly Traffic[]> {
  const platforms = CHAT_PLATFORMS.filter(({ name }) => names.has(name));
  const first = (Math.floor(clock.now() / HOUR_MS) - HOURS + 1) * HOUR_MS;
  const delivered = await outbox.list({ status: "delivered", limit: MOST });
  return await Promise.all(
    platforms.map(async ({ name, kind }: ChatPlatform) => {
      const entries = await new Inbox(records, clock, name).list({ limit: MOST });
      const accepted = entries.flatMap(({ event, acceptedAt }) =>
        event.type === "message" ? [acceptedAt] : [],
      );
      const sent = entries.flatMap(({ parts = [] }) =>
        parts.flatMap(({ at, messageId }) => (at === undefined || messageId === undefined ? [] : [at])),
      );
      const late = delivered.flatMap(({ target, endedAt }) =>
        endedAt !== undefined && (target.kind === name || target.kind === kind) ? [endedAt] : [],
      );
      return { platform: name, in: byHour(accepted, first), out: byHour([...sent, ...late], first) };
    }),
  );
}

function byHour(times: readonly number[], first: number): readonly number[] {
  const hours = Array.from({ length: HOURS }, () => 0);
  for (const time of times) {
    const hour = Math.floor((time - first) / HOUR_MS);
    const before = hours[hour];
    if (before !== undefined) hours[hour] = before + 1;
  }
  return hours;
}
