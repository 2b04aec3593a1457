import type { SessionEntry } from "../client/sessions.ts";

/** Surfaces as people know them. */
export const SURFACES: Readonly<Record<SessionEntry["platform"], string>> = {
  cli: "Command line",
  tui: "Terminal",
  acp: "Editor",
  api_server: "API",
  webhook: "Webhook",
  job: "Job",
  chat: "Chat",
  app: "App",
  library: "Program",
};

/** Names that capital letters alone do not make. */
const SPELLINGS: Readonly<Record<string, string>> = { whatsapp: "WhatsApp", wecom: "WeCom", sms: "SMS" };

const titled = (name: string): string =>
  SPELLINGS[name] ?? `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

/** Where a session was begun: of a chat, its platform. */
export const surfaceOf = ({ platform, source }: Pick<SessionEntry, "platform" | "source">): string =>
  platform === "chat" ? titled(source) : SURFACES[platform];

/** Who wrote to a session, by the name under which its log has them: `telegram:42` is `42 (Telegram)`. */
export function senderWords(name: string): string {
  const [place = "", ...rest] = name.split(":");
  if (rest.length > 0) return `${rest.join(":")} (${titled(place)})`;
  return PROGRAMS[name] ?? titled(name);
}

const PROGRAMS: Readonly<Record<string, string>> = { api: "API", library: "Program" };
