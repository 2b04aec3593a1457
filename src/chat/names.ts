/** The chat platforms' own names, which are their keys in the configuration, and the interface's names for them. */
export const CHAT_NAMES = {
  telegram: "messenger_1",
  discord: "messenger_2",
  slack: "messenger_3",
  signal: "messenger_4",
  whatsapp: "messenger_5",
  matrix: "messenger_6",
  mattermost: "messenger_7",
  email: "email",
} as const;

/** The own name of a chat platform. */
export type ChatName = keyof typeof CHAT_NAMES;
