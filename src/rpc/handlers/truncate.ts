import { GIVEN_SURFACE, type Session, type TranscriptEntry, readTranscript } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { Params } from "../protocol/methods.ts";

const PAGE = 1000;

/**
 * Takes back the turns from a user's message on: editing a message and sending it again.
 *
 * @throws HostError `nothing_to_undo` when there is no such message, `session_busy`
 */
export async function cutBefore(
  gateway: GatewayContext,
  session: Session,
  params: Params<"prompt.submit">,
): Promise<void> {
  const { truncate_before_user_ordinal: ordinal, truncate_before_row_id: rowId } = params;
  if (ordinal === undefined && rowId === undefined) return;
  const rows = await userRows(gateway, session);
  const first = rowId === undefined ? (ordinal ?? -1) : rows.findIndex((row) => row >= rowId);
  if (first < 0 || first >= rows.length) {
    throw new HostError(
      "nothing_to_undo",
      `The session has ${rows.length} messages of the user; there is none to cut before at ${rowId ?? ordinal ?? 0}.`,
    );
  }
  await session.undo(rows.length - first);
}

/** The cursors after the user's messages that still count, oldest first. */
async function userRows({ host }: GatewayContext, { id, state }: Session): Promise<readonly number[]> {
  const rows: number[] = [];
  for (let before: number | undefined = state.seq + 1; before !== undefined;) {
    const page = await readTranscript(host.services.store, { id, state }, { before, limit: PAGE });
    rows.unshift(...page.entries.flatMap((entry) => (isOwnPrompt(entry) ? [entry.seq] : [])));
    before = page.before;
  }
  return rows;
}

/** Messages that came with the session were said elsewhere and cannot be taken back turn by turn. */
const isOwnPrompt = (entry: TranscriptEntry): boolean =>
  entry.role === "user" && entry.prompt.from.surface !== GIVEN_SURFACE;
