import {
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { classes } from "../design/classes.ts";
import { Button } from "../design/button.tsx";
import type { ConversationWire } from "./ask.ts";
import { ChatActions } from "./chat-actions.tsx";
import { IconButton, MoreIcon, PencilIcon, PersonIcon } from "./icons.tsx";
import { listTime } from "./moments.ts";
import type { Outbox } from "./outbox.ts";
import { chatPath, goTo, newChatPath } from "./place.ts";
import { PushOffer } from "./push-offer.tsx";
import { useChats } from "./use-chats.ts";
import styles from "./app.module.css";

/** The member's conversations, the newest first. */
export function ChatList({ outbox, shown }: { readonly outbox: Outbox; readonly shown: string | undefined }) {
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<ConversationWire>();
  const waiting = useSyncExternalStore(outbox.subscribe, () => outbox.waiting);
  const { chats, more, isLoaded, fault, look } = useChats(words, `${shown ?? ""} ${waiting.length}`);
  const begin = (): void => goTo(newChatPath());
  return (
    <nav className={styles["list"]} aria-label="Conversations">
      <header className={styles["bar"]}>
        <h1 className={styles["title"]}>Chats</h1>
        <IconButton label="You and your devices" onClick={() => goTo("/app/me")}>
          <PersonIcon />
        </IconButton>
        <span className={styles["begin"]}>
          <IconButton label="New conversation" isPrimary onClick={begin}>
            <PencilIcon />
          </IconButton>
        </span>
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
      {chats.length > 0 ? <PushOffer /> : null}
      <p className={styles["cut"]} role="status">
        {fault ?? ""}
      </p>
      <ul className={styles["rows"]}>
        {chats.map((chat) => (
          <li key={chat.id} className={styles["rowBox"]}>
            <ChatRow chat={chat} isShown={chat.id === shown} onMore={() => setChosen(chat)} />
          </li>
        ))}
      </ul>
      {more === undefined ? null : (
        <button type="button" className={styles["older"]} onClick={more}>
          Older conversations
        </button>
      )}
      {isLoaded && chats.length === 0 ? (
        words === "" ? (
          <div className={styles["empty"]}>
            <p>Nothing here yet.</p>
            <Button look="primary" onClick={begin}>
              Begin a conversation
            </Button>
          </div>
        ) : (
          <p className={styles["empty"]}>Nothing was found.</p>
        )
      ) : null}
      {chosen === undefined ? null : (
        <ChatActions
          id={chosen.id}
          title={chosen.title}
          onClose={() => setChosen(undefined)}
          onRenamed={() => {
            setChosen(undefined);
            look();
          }}
          onDeleted={() => {
            setChosen(undefined);
            look();
            if (chosen.id === shown) goTo("/app", { instead: true });
          }}
        />
      )}
    </nav>
  );
}

interface ChatRowProps {
  readonly chat: ConversationWire;
  readonly isShown: boolean;
  readonly onMore: () => void;
}

function ChatRow({ chat, isShown, onMore }: ChatRowProps) {
  const { id, title, active_at: at, unread } = chat;
  const path = chatPath(id);
  const hold = useHold(onMore);
  const open = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    if (!hold.wasHeld()) goTo(path);
  };
  return (
    <>
      <a
        href={path}
        onClick={open}
        {...hold.handlers}
        className={classes(styles["row"], isShown && styles["rowShown"], unread && styles["rowUnread"])}
        aria-current={isShown ? "page" : undefined}
      >
        <span className={styles["rowTitle"]}>{title || "A picture"}</span>
        <span className={styles["rowTime"]}>{listTime(at)}</span>
        <span className={styles["rowText"]}>{lineOf(chat)}</span>
        {unread ? <span className={styles["dot"]} role="img" aria-label="Not read yet" /> : null}
      </a>
      <span className={styles["rowMore"]}>
        <IconButton label={`Rename or delete ${title || "conversation"}`} onClick={onMore}>
          <MoreIcon />
        </IconButton>
      </span>
    </>
  );
}

/** What stands below its title. */
function lineOf({ damaged, asks, working, preview }: ConversationWire): ReactNode {
  if (damaged) return <b>Damaged</b>;
  if (asks) return <b>Asks you something</b>;
  return working ? "Writing…" : preview;
}

const HOLD_MS = 500;

/** A finger that stays on something, as a second way to what its button does. */
function useHold(onHold: () => void) {
  const timer = useRef(0);
  const held = useRef(false);
  const end = (): void => clearTimeout(timer.current);
  return {
    /** Whether the click that comes now ended such a hold. */
    wasHeld: (): boolean => held.current,
    handlers: {
      onPointerDown: ({ pointerType }: PointerEvent) => {
        held.current = false;
        if (pointerType === "mouse") return;
        timer.current = window.setTimeout(() => {
          held.current = true;
          onHold();
        }, HOLD_MS);
      },
      onPointerUp: end,
      onPointerCancel: end,
      onPointerLeave: end,
      onContextMenu: (event: MouseEvent) => {
        if (held.current) event.preventDefault();
      },
    },
  };
}
