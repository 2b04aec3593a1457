import { toHostError } from "../../shared/errors/host-error.ts";
import type { Sink } from "../port/channel.ts";
import type { MatrixApi } from "./api.ts";
import { pathOf } from "../port/request-path.ts";
import type { MatrixBot } from "./text.ts";
import type { InvitedRoom } from "./wire.ts";

/**
 * Accepts an invitation of somebody who may talk to the agent, and declines all others, with the reason.
 *
 * @throws HostError when the server cannot be told now
 */
export async function answerInvite(
  { api, bot, sink }: { readonly api: MatrixApi; readonly bot: MatrixBot; readonly sink: Sink },
  [roomId, { invite_state: state }]: readonly [string, InvitedRoom],
  signal: AbortSignal,
): Promise<void> {
  const invite = state.events.find(
    ({ type, state_key: who, content }) =>
      type === "m.room.member" && who === bot.id && content.membership === "invite",
  );
  if (invite === undefined) return;
  const { sender, content } = invite;
  const kind = content.is_direct ? "direct" : "channel";
  const isAdmitted = await sink.admits({ id: sender, name: sender }, { kind, chatId: roomId });
  const reason = `I may not talk to you. My owner lets you in: ${sender} belongs into platforms.matrix.extra.allow.`;
  try {
    await api.call(pathOf("rooms", roomId, isAdmitted ? "join" : "leave"), {
      method: "POST",
      body: isAdmitted ? {} : { reason },
      signal,
    });
  } catch (thrown) {
    // It may have been taken back, or the room is closed to the bot.
    const { code } = toHostError(thrown);
    if (code !== "not_found" && code !== "invalid_params") throw thrown;
  }
}
