import { useSyncExternalStore } from "react";

/** The screen that an address of the app shows. */
export type Place =
  | { readonly screen: "chats" }
  | { readonly screen: "new" }
  | { readonly screen: "me" }
  | { readonly screen: "chat"; readonly id: string };

/** Reads which screen a path is. */
export function placeAt(path: string): Place {
  const [, , first = "", second = ""] = path.split("/");
  if (first === "new") return { screen: "new" };
  if (first === "me") return { screen: "me" };
  if (first === "c" && second !== "") return { screen: "chat", id: decodeURIComponent(second) };
  return { screen: "chats" };
}

/** The path of a conversation. */
export const chatPath = (id: string): string => `/app/c/${encodeURIComponent(id)}`;

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
