import { useCallback, useEffect, useRef, useState } from "react";
import { ask, type ConversationPageWire, wordsOf } from "./ask.ts";

const LOOK_MS = 10_000;
const TYPED_MS = 250;

/** The conversations that are shown, and the words that are in them. */
interface FoundChats extends ConversationPageWire {
  readonly words: string;
}

/** The conversations in which some words are, looked for again now and then. @param cause - a change of it looks at once */
export function useChats(words: string, cause: string) {
  const [pages, setPages] = useState<FoundChats>();
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
          setPages((known) => withNewest(known, { ...page, words }));
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
  const asked = useRef<string>(undefined);
  const more = (): void => {
    if (pages?.next === undefined) return;
    const query = `q=${encodeURIComponent(pages.words)}&after=${encodeURIComponent(pages.next)}`;
    if (asked.current === query) return;
    asked.current = query;
    ask<ConversationPageWire>("GET", `/conversations?${query}`)
      .then(
        (page) => setPages((known) => known && withOlder(known, page, pages)),
        (thrown: unknown) => setFault(wordsOf(thrown)),
      )
      .finally(() => {
        if (asked.current === query) asked.current = undefined;
      });
  };
  return {
    chats: pages?.data ?? [],
    isLoaded: pages !== undefined,
    fault,
    look,
    ...(pages?.next === undefined ? {} : { more }),
  };
}

/** The number on the app's icon, where the system shows one. */
function badge({ data }: ConversationPageWire): void {
  if (!("setAppBadge" in navigator)) return;
  const unread = data.filter((chat) => chat.unread || chat.asks).length;
  navigator.setAppBadge(unread).catch(() => undefined);
}

/** The newest page in the place of what it holds; older ones that were loaded stay. */
function withNewest(known: FoundChats | undefined, page: FoundChats): FoundChats {
  if (known === undefined || known.words !== page.words || page.words !== "" || page.next === undefined)
    return page;
  const ids = new Set(page.data.map(({ id }) => id));
  const oldest = page.data.at(-1)?.active_at ?? 0;
  const older = known.data.filter(({ id, active_at: at }) => !ids.has(id) && at <= oldest);
  if (older.length === 0) return page;
  return followedBy({ ...page, data: [...page.data, ...older] }, known.next);
}

/** An older page behind what is shown, if that still ends where the page begins. @param asked - what was shown then */
function withOlder(known: FoundChats, page: ConversationPageWire, asked: FoundChats): FoundChats {
  if (known.words !== asked.words || known.next !== asked.next) return known;
  const ids = new Set(known.data.map(({ id }) => id));
  const older = page.data.filter(({ id }) => !ids.has(id));
  return followedBy({ ...known, data: [...known.data, ...older] }, page.next);
}

const followedBy = ({ words, data }: FoundChats, next: string | undefined): FoundChats =>
  next === undefined ? { words, data } : { words, data, next };
