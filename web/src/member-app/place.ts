import { useSyncExternalStore } from "react";

/** The screen that an address of the app shows. */
export type Place =
  | { readonly screen: "chats" }
  /** A conversation that its first message will make, by the name that it has until then. */
  | { readonly screen: "new"; readonly chat: string }
  | { readonly screen: "me" }
  | { readonly screen: "chat"; readonly id: string };

/** Reads which screen a path is. */
export function placeAt(path: string): Place {
  const [, , first = "", second = ""] = path.split("/");
  if (first === "new") return { screen: "new", chat: `new:${second}` };
  if (first === "me") return { screen: "me" };
  if (first === "c" && second !== "") return { screen: "chat", id: decodeURIComponent(second) };
  return { screen: "chats" };
}

/** The path of a conversation. */
export const chatPath = (id: string): string => `/app/c/${encodeURIComponent(id)}`;

/** The path of one that is not there yet. */
export const newChatPath = (): string => `/app/new/${crypto.randomUUID()}`;

const MOVED = "app:moved";

/** Goes to another screen; `instead` leaves none behind to come back to. */
export function goTo(path: string, { instead = false }: { readonly instead?: boolean } = {}): void {
  if (instead) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  dispatchEvent(new Event(MOVED));
}

/** The path that is shown. */
export const usePath = (): string => useSyncExternalStore(follow, () => location.pathname);

function follow(tell: () => void): () => void {
  const life = new AbortController();
  const { signal } = life;
  addEventListener("popstate", tell, { signal });
  addEventListener(MOVED, tell, { signal });
  // A message of the system was touched.
  navigator.serviceWorker?.addEventListener(
    "message",
    ({ data }: MessageEvent<{ readonly type?: string; readonly path?: string }>) => {
      if (data.type === "open" && data.path?.startsWith("/app") === true) goTo(data.path);
    },
    { signal },
  );
  return () => life.abort();
}
