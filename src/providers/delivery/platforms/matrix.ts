import { defined } from "../../../shared/json/defined.ts";
import { MATRIX_HTML } from "../markdown/flavour.ts";
import { byStatus, type MessagingPlatform } from "../messaging-platform.ts";

/** https://spec.matrix.org/v1.11/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid */
export const MATRIX: MessagingPlatform = {
  kind: "messenger_6",
  name: "matrix",
  limit: 16_000,
  // An event has at most 65,536 bytes, and holds the text twice.
  largest: 60_000,
  threads: true,
  flavour: MATRIX_HTML,
  call: ({ chatId, threadId, text, source, once }, { token }) => ({
    method: "PUT",
    path: `/_matrix/client/v3/rooms/${encodeURIComponent(chatId)}/send/m.room.message/${encodeURIComponent(once)}`,
    headers: { authorization: `Bearer ${token}` },
    body: {
      msgtype: "m.text",
      body: source,
      format: "org.matrix.custom.html",
      formatted_body: text,
      // Nobody is called, whatever the text says.
      "m.mentions": {},
      ...defined({ "m.relates_to": threadId && { rel_type: "m.thread", event_id: threadId } }),
    },
  }),
  refusal(answer) {
    const wait = Number(answer.body["retry_after_ms"]);
    const refusal = byStatus(answer, answer.body["error"]);
    return refusal !== undefined && wait > 0 ? { ...refusal, waitMs: wait } : refusal;
  },
};
