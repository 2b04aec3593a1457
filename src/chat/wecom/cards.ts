import type { Button } from "../port/outgoing.ts";

const MOST_BUTTONS = 6;

/**
 * A card with buttons, below the message that they are about: a card shows a hundred characters at most.
 * https://developer.work.weixin.qq.com/document/path/101032
 */
export const buttonCard = (
  buttons: readonly Button[],
  taskId: string,
): Readonly<Record<string, unknown>> => ({
  card_type: "button_interaction",
  main_title: { title: "Please choose" },
  button_list: buttons.slice(0, MOST_BUTTONS).map(({ label: text, value: key }) => ({ text, key, style: 1 })),
  task_id: taskId,
});

/** The card as it looks to the one who pressed a button. */
export const pressedCard = (title: string, taskId: string): Readonly<Record<string, unknown>> => ({
  card_type: "text_notice",
  main_title: { title },
  task_id: taskId,
});
