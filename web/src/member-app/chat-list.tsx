import { type MouseEvent, useEffect, useState, useSyncExternalStore } from "react";
import { classes } from "../design/classes.ts";
import { Ago } from "../design/time.tsx";
import { ask, type ConversationPageWire, type ConversationWire } from "./ask.ts";
import { IconButton, PencilIcon, PersonIcon } from "./icons.tsx";
import type { Outbox } from "./outbox.ts";
import { chatPath, goTo } from "./place.ts";
import styles from "./app.module.css";

const LOOK_MS = 15_000;
const TYPED_MS = 250;

/** The member's conversations, the newest first. */
export function ChatList({ outbox, shown }: { readonly outbox: Outbox; readonly shown: string | undefined }) {
  const [words, setWords] = useState("");
  const waiting = useSyncExternalStore(outbox.subscribe, () => outbox.waiting);
  const { chats, more, isLoaded } = useChats(words, `${shown ?? ""} ${waiting.length}`);
  return (
    <nav className={styles["list"]} aria-label="Conversations">
      <header className={styles["bar"]}>
        <h1 className={styles["title"]}>Chats</h1>
        <IconButton label="You and your devices" onClick={() => goTo("/app/me")}>
          <PersonIcon />
        </IconButton>
        <IconButton label="New conversation" onClick={() => goTo("/app/new")}>
          <PencilIcon />
        </IconButton>
      </header>
      <div className={styles["searchBox"]}>
        <input
          type="search"
          aria-label="Search conversations"
          placeholder="Search"
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      </div>
      <ul className={styles["rows"]}>
        {chats.map((chat) => (
          <li key={chat.id}>
            <ChatRow chat={chat} isShown={chat.id === shown} />
          </li>
        ))}
      </ul>
      {more === undefined ? null : (
        <button type="button" className={styles["older"]} onClick={more}>
          Older conversations
        </button>
      )}
      {isLoaded && chats.length === 0 ? (
        <p className={styles["empty"]}>
          {words === ""
            ? "Nothing here yet. Begin a conversation with the pencil above."
            : "Nothing was found."}
        </p>
      ) : null}
    </nav>
  );
}

function ChatRow({ chat, isShown }: { readonly chat: ConversationWire; readonly isShown: boolean }) {
  const { id, title, preview, active_at: at, working, asks } = chat;
  const path = chatPath(id);
  const open = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    goTo(path);
  };
  return (
    <a
      href={path}
      onClick={open}
      className={classes(styles["row"], isShown && styles["rowShown"])}
      aria-current={isShown ? "page" : undefined}
    >
      <span className={styles["rowTitle"]}>{title || preview || "Conversation"}</span>
      <span className={styles["rowTime"]}>
        <Ago at={at} />
      </span>
      <span className={styles["rowText"]}>
        {asks ? <b>Asks you something</b> : working ? "Writing…" : title === "" ? "" : preview}
      </span>
    </a>
  );
}

/** The conversations in which some words are, looked for again now and then. @param cause - a change of it looks at once */
function useChats(words: string, cause: string) {
  const [pages, setPages] = useState<ConversationPageWire>();
  useEffect(() => {
    let isOver = false;
    const look = (): void => {
      if (document.hidden) return;
      ask<ConversationPageWire>("GET", `/conversations?q=${encodeURIComponent(words)}`).then(
        (page) => (isOver ? undefined : setPages((known) => withNewest(known, page, words))),
        // It is looked for again.
        () => undefined,
      );
    };
    const first = setTimeout(look, words === "" ? 0 : TYPED_MS);
    const again = setInterval(look, LOOK_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      isOver = true;
      clearTimeout(first);
      clearInterval(again);
      document.removeEventListener("visibilitychange", look);
    };
  }, [words, cause]);
  const next = pages?.next;
  const more = (): void => {
    ask<ConversationPageWire>(
      "GET",
      `/conversations?q=${encodeURIComponent(words)}&after=${encodeURIComponent(next ?? "")}`,
    ).then(
      (page) => setPages((known) => ({ ...page, data: [...(known?.data ?? []), ...page.data] })),
      () => undefined,
    );
  };
  return { chats: pages?.data ?? [], isLoaded: pages !== undefined, ...(next === undefined ? {} : { more }) };
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
