import type { Client } from "../client.ts";
import type { Result } from "../gateway.ts";
import { pagerContent } from "./overlay-lines.ts";

/** Messages of a page: what is above comes when somebody scrolls there. */
const PAGE = 500;

type Reader = Pick<Client, "store" | "controller">;

/** Shows the conversation, its end first. */
export async function openHistory(client: Reader): Promise<void> {
  const page = await loadPage(client);
  if (page === undefined) return;
  const { store } = client;
  store.update({
    overlay: { kind: "pager", title: "The conversation", format: "markdown", top: Infinity, ...page },
  });
}

/** Puts the page before above what is shown; what is read stays where it is. */
export async function loadEarlier(client: Reader): Promise<void> {
  const { store } = client;
  const { overlay } = store.state;
  if (overlay?.kind !== "pager" || overlay.earlier === undefined) return;
  const before = overlay.earlier;
  store.update({ overlay: { ...overlay, earlier: undefined } });
  const page = await loadPage(client, before);
  const now = store.state.overlay;
  if (page === undefined || now?.kind !== "pager" || now.text !== overlay.text) return;
  const text = `${page.text}\n\n${now.text}`;
  const { columns } = store.state.size;
  const height = pagerContent(now, columns).length;
  const longer = { ...now, text, earlier: page.earlier };
  store.update({ overlay: { ...longer, top: now.top + pagerContent(longer, columns).length - height } });
}

async function loadPage(client: Reader, before?: number) {
  const session_id = client.controller.sessionId;
  if (session_id === undefined) return undefined;
  const where = before === undefined ? {} : { before };
  const page = await client.controller.request("session.history", { session_id, limit: PAGE, ...where });
  return { text: historyText(page.messages), earlier: page.before };
}

/** Messages as Markdown. */
export function historyText(messages: Result<"session.history">["messages"]): string {
  return messages
    .map(({ role, text = "", context = "" }) => {
      if (role === "user") return `**›** ${text}`;
      return role === "tool" ? `\`${context}\`` : text;
    })
    .filter((each) => each !== "")
    .join("\n\n");
}
