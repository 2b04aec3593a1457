import { interruptionOf, type Session, type SessionRecord, statusOf } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { LiveListing, SessionListing } from "../protocol/sessions.ts";
import type { z } from "zod";
import { modelOf } from "./session-info.ts";
import { encodeStatus, liveStatus } from "./status.ts";
import { seconds } from "./time.ts";

/** A stored session, as lists show it. */
export function encodeListing({ id, state, owner, damaged }: SessionRecord): z.output<typeof SessionListing> {
  return {
    id,
    title: state.title,
    preview: state.preview,
    started_at: seconds(state.createdAt),
    last_active: seconds(state.activeAt),
    message_count: state.counts.messages,
    source: state.source,
    cwd: state.cwd,
    model: state.settings.model ?? "",
    status: encodeStatus(statusOf(state, owner)).status,
    ...defined({ parent_id: state.parentId, interrupted: interruptionOf(state) }),
    damaged,
  };
}

/** An open session, as the switcher shows it. */
export async function encodeLive(
  gateway: GatewayContext,
  session: Session,
  current: string | undefined,
): Promise<z.output<typeof LiveListing>> {
  const { id, state } = session;
  const opened = gateway.sessions.get(id);
  return {
    id,
    session_key: id,
    current: id === current,
    ...encodeStatus(await liveStatus(gateway, session)),
    title: state.title,
    preview: state.preview,
    model: modelOf(gateway, state).model?.name ?? "",
    message_count: state.counts.messages,
    started_at: seconds(state.createdAt),
    last_active: seconds(state.activeAt),
    queued: state.queue.length,
    clients: opened?.followers ?? 0,
    cwd: state.cwd,
    ...defined({ interrupted: interruptionOf(state) }),
  };
}
