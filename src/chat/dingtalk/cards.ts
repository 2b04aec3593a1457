import type { MessageEdit, OutgoingMessage } from "../port/outgoing.ts";
import type { DingtalkApi } from "./api.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { isGroup, isOutsider, markdownOf } from "./send.ts";

const MOST_BUTTONS = 6;

/** The owner's template, and what cards are made with. */
export interface CardParts {
  readonly api: DingtalkApi;
  readonly template: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Posts a message as a card of the owner's template: https://open.dingtalk.com/document/orgapp/create-and-deliver-cards. Its
 * variables are `text`, and `label1`, `answer1` to `label6`, `answer6` for buttons.
 */
export async function sendCardOf(
  { api, template, now }: CardParts,
  { place, text, buttons, once, again }: OutgoingMessage,
  signal: AbortSignal,
): Promise<string> {
  const { chatId } = place;
  // A second card under the same id might be refused, or change the first one.
  const outTrackId = again === true ? `${once}-${now.toString(36)}` : once;
  const target = isGroup(chatId)
    ? {
        openSpaceId: `dtv1.card//IM_GROUP.${chatId}`,
        imGroupOpenSpaceModel: { supportForward: false },
        imGroupOpenDeliverModel: { robotCode: api.robotCode },
      }
    : {
        openSpaceId: `dtv1.card//IM_ROBOT.${chatId}`,
        imRobotOpenSpaceModel: { supportForward: false },
        imRobotOpenDeliverModel: { spaceType: "IM_ROBOT" },
      };
  const body = {
    cardTemplateId: template,
    outTrackId,
    callbackType: "STREAM",
    cardData: { cardParamMap: variablesOf({ place, text, buttons: buttons ?? [] }) },
    userIdType: 1,
    ...target,
  };
  await api.call("/v1.0/card/instances/createAndDeliver", { body, signal });
  return outTrackId;
}

/** https://open.dingtalk.com/document/orgapp/interactive-card-update-interface */
export async function updateCard(api: DingtalkApi, edit: MessageEdit, signal: AbortSignal): Promise<void> {
  if (isOutsider(edit.place.chatId))
    throw new HostError("not_found", "dingtalk: what people of other organisations got cannot be changed.");
  const body = {
    outTrackId: edit.messageId,
    cardData: { cardParamMap: variablesOf({ ...edit, buttons: edit.buttons ?? [] }) },
    cardUpdateOptions: { updateCardDataByKey: true },
  };
  await api.call("/v1.0/card/instances", { method: "PUT", body, signal });
}

/** Clicks do not say where they are: the answers do. */
function variablesOf({
  place: { kind, chatId: chat },
  text,
  buttons,
}: Required<Pick<MessageEdit, "place" | "text" | "buttons">>): Readonly<Record<string, string>> {
  const pairs = Array.from({ length: MOST_BUTTONS }, (_, index) => {
    const button = buttons[index];
    const answer = button === undefined ? "" : JSON.stringify({ value: button.value, kind, chat });
    return [
      [`label${index + 1}`, button?.label ?? ""],
      [`answer${index + 1}`, answer],
    ];
  });
  return { text: markdownOf(text).text, ...Object.fromEntries(pairs.flat()) };
}
