import { useCallback, useEffect, useState } from "react";
import { ask, type ConversationPageWire, wordsOf } from "./ask.ts";

const LOOK_MS = 10_000;
const TYPED_MS = 250;

/** The conversations in which some words are, looked for again now and then. @param cause - a change of it looks at once */
export function useChats(words: string, cause: string) {
  const [pages, setPages] = useState<ConversationPageWire>();
  const [fault, setFault] = useState<string>();
  const [looks, setLooks] = useState(0);
  const look = useCallback(() => setLooks((count) => count + 1), []);
  useEffect(() => {
    const life = new AbortController();
    const { signal } = life;
    const load = (): void => {
      if (document.hidden) return;
      ask<ConversationPageWire>("GET", `/conversations?q=${encodeURIComponent(words)}`).then(
        (page) => {
          if (signal.aborted) return;
          setFault(undefined);
          setPages((known) => withNewest(known, page, words));
          if (words === "") badge(page);
        },
        // It is looked for again.
        (thrown: unknown) => void (signal.aborted || setFault(wordsOf(thrown))),
      );
    };
    const first = setTimeout(load, words === "" ? 0 : TYPED_MS);
    const again = setInterval(load, LOOK_MS);
    document.addEventListener("visibilitychange", load, { signal });
    addEventListener("online", load, { signal });
    navigator.serviceWorker?.addEventListener("message", load, { signal });
    return () => {
      life.abort();
      clearTimeout(first);
      clearInterval(again);
    };
  }, [words, cause, looks]);
  const next = pages?.next;
  const more = (): void => {
    ask<ConversationPageWire>(
      "GET",
      `/conversations?q=${encodeURIComponent(words)}&after=${encodeURIComponent(next ?? "")}`,
    ).then(
      (page) => setPages((known) => ({ ...page, data: [...(known?.data ?? []), ...page.data] })),
      (thrown: unknown) => setFault(wordsOf(thrown)),
    );
  };
  return {
    chats: pages?.data ?? [],
    isLoaded: pages !== undefined,
    fault,
    look,
    ...(next === undefined ? {} : { more }),
  };
}

/** The number on the app's icon, where the system shows one. */
function badge({ data }: ConversationPageWire): void {
  if (!("setAppBadge" in navigator)) return;
  const unread = data.filter((chat) => chat.unread || chat.asks).length;
  navigator.setAppBadge(unread).catch(() => undefined);
}

/** The newest page in the place of what it holds; older ones that were loaded stay. */
function withNewest(
  known: ConversationPageWire | undefined,
  page: ConversationPageWire,
  words: string,
): ConversationPageWire {
  if (known === undefined || words !== "" || page.next === undefined) return page;
  const ids = new Set(page.data.map(({ id }) => id));
  const oldest = page.data.at(-1)?.active_at ?? 0;
  const older = known.data.filter(({ id, active_at: at }) => !ids.has(id) && at <= oldest);
  if (older.length === 0) return page;
  const { next: _next, ...more } = known;
  return {
    ...more,
    data: [...page.data, ...older],
    ...(known.next === undefined ? {} : { next: known.next }),
  };
}
