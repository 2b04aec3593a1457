import { isJsonObject } from "../../../shared/json/json.ts";
import { WHATSAPP_SIGNS } from "../markdown/flavour.ts";
import { byStatus, type MessagingPlatform } from "../messaging-platform.ts";

/**
 * https://developers.facebook.com/docs/whatsapp/cloud-api/messages/text-messages; `from` is the id of the phone number.
 */
export const WHATSAPP: MessagingPlatform = {
  kind: "messenger_5",
  name: "whatsapp",
  baseUrl: "https://graph.facebook.com/v23.0",
  limit: 4096,
  needsFrom: true,
  flavour: WHATSAPP_SIGNS,
  call: ({ chatId, text }, { token, from }) => ({
    path: `/${encodeURIComponent(from)}/messages`,
    headers: { authorization: `Bearer ${token}` },
    body: {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: chatId,
      type: "text",
      text: { body: text },
    },
  }),
  refusal(answer) {
    const { error } = answer.body;
    return byStatus(answer, isJsonObject(error) ? error["message"] : undefined);
  },
};
