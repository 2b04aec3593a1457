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
  feishu: "messenger_10",
  dingtalk: "messenger_9",
  wecom: "messenger_11",
} as const;

/** The own name of a chat platform. */
export type ChatName = keyof typeof CHAT_NAMES;

/** The platforms on which the agent can send no files: the limits of each say the same, and are not loaded to choose tools. */
const WITHOUT_FILES: ReadonlySet<string> = new Set<ChatName>(["wecom"]);

/** Whether the agent can send files on a chat platform. */
export const sendsFiles = (name: string): boolean =>
  Object.hasOwn(CHAT_NAMES, name) && !WITHOUT_FILES.has(name);
