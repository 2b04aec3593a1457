import { type ReactNode, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "../design/button.tsx";
import { Markdown } from "../design/markdown.tsx";
import { ask } from "./ask.ts";
import { Composer } from "./composer.tsx";
import type { Conversation } from "./conversation.ts";
import { BackIcon, IconButton, MoreIcon } from "./icons.tsx";
import { Message, OutgoingMessage } from "./message.tsx";
import { Outbox } from "./outbox.ts";
import { chatPath, goTo } from "./place.ts";
import { QuestionCard } from "./question-card.tsx";
import { useConversation } from "./use-conversation.ts";
import styles from "./app.module.css";

/** One conversation. */
export function ChatScreen({ id, outbox }: { readonly id: string; readonly outbox: Outbox }) {
  const { conversation, connected, error, loadOlder } = useConversation(id);
  const waiting = useSyncExternalStore(outbox.subscribe, () => outbox.waiting);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const known = new Set(
    [...(conversation?.messages ?? []), ...(conversation?.queued ?? [])].map((each) => each.id),
  );
  // It may be seen in what is followed before the answer to its sending comes.
  const own = waiting.filter((each) => each.chat === id && !known.has(`prompt_${each.id}`));
  const stop = (): void =>
    void ask("POST", `/conversations/${encodeURIComponent(id)}/stop`).catch(() => undefined);
  if (error !== undefined) return <Gone error={error} />;
  return (
    <>
      <TopBar title={conversation?.title || "Conversation"}>
        <IconButton
          label="Rename or delete"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <MoreIcon />
        </IconButton>
      </TopBar>
      {isMenuOpen ? (
        <ChatMenu id={id} title={conversation?.title ?? ""} onDone={() => setMenuOpen(false)} />
      ) : null}
      <Scroller tick={`${conversation?.seq ?? 0} ${own.length}`}>
        {conversation?.before === undefined ? null : (
          <Button look="quiet" onClick={() => void loadOlder()}>
            Older messages
          </Button>
        )}
        {conversation === undefined ? null : <Messages chat={id} conversation={conversation} />}
        {own.map((message) => (
          <OutgoingMessage key={message.id} message={message} outbox={outbox} />
        ))}
      </Scroller>
      <p className={styles["cut"]} role="status">
        {connected ? "" : "No connection. What you write is sent as soon as there is one."}
      </p>
      <Composer
        draftOf={id}
        onSend={(text, images) => void outbox.add(id, text, images)}
        onStop={conversation?.turn === undefined ? undefined : stop}
      />
    </>
  );
}

/** A conversation that its first message will make. */
export function NewChatScreen({ outbox, name }: { readonly outbox: Outbox; readonly name: string }) {
  const [chat] = useState(() => Outbox.newChat());
  const waiting = useSyncExternalStore(outbox.subscribe, () => outbox.waiting);
  const made = outbox.madeOf(chat);
  useEffect(() => {
    if (made !== undefined) goTo(chatPath(made), { instead: true });
  }, [made]);
  const own = waiting.filter((each) => each.chat === chat);
  return (
    <>
      <TopBar title="New conversation" />
      <Scroller tick={String(own.length)}>
        {own.length === 0 ? <p className={styles["hello"]}>Hello {name}. What is it about?</p> : null}
        {own.map((message) => (
          <OutgoingMessage key={message.id} message={message} outbox={outbox} />
        ))}
      </Scroller>
      <p className={styles["cut"]} role="status" />
      <Composer draftOf="new" onSend={(text, images) => void outbox.add(chat, text, images)} />
    </>
  );
}

/** The bar on top of a screen, with the way back. */
export function TopBar({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <header className={styles["bar"]}>
      <span className={styles["back"]}>
        <IconButton label="All conversations" onClick={() => goTo("/app")}>
          <BackIcon />
        </IconButton>
      </span>
      <h1 className={styles["barTitle"]}>{title}</h1>
      {children}
    </header>
  );
}

function Messages({ chat, conversation }: { readonly chat: string; readonly conversation: Conversation }) {
  const { messages, queued, questions, turn } = conversation;
  return (
    <>
      {messages.map((message) => (
        <Message key={`${message.seq} ${message.from}`} message={message} />
      ))}
      {turn === undefined ? null : (
        <div className={styles["theirs"]}>
          {turn.step === undefined ? null : <p className={styles["step"]}>{turn.step.label}…</p>}
          {turn.text === "" ? <Dots /> : <Markdown text={turn.text} />}
        </div>
      )}
      {questions.map((question) => (
        <QuestionCard key={question.id} chat={chat} question={question} />
      ))}
      {queued.map((message) => (
        <Message key={message.id ?? message.seq} message={message} />
      ))}
    </>
  );
}

const Dots = () => (
  <span className={styles["dots"]} role="img" aria-label="Writing">
    <i />
    <i />
    <i />
  </span>
);

const NEAR = 120;

/** The messages: it stays at the newest one, unless one scrolled up to read. @param tick - changes with what is shown */
function Scroller({ tick, children }: { readonly tick: string; readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const { current } = place;
    if (current !== null && atEnd.current) current.scrollTop = current.scrollHeight;
  }, [tick]);
  return (
    <div
      ref={place}
      className={styles["scroller"]}
      role="log"
      aria-label="Messages"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      <div className={styles["messages"]}>{children}</div>
    </div>
  );
}

interface ChatMenuProps {
  readonly id: string;
  readonly title: string;
  readonly onDone: () => void;
}

function ChatMenu({ id, title, onDone }: ChatMenuProps) {
  const [name, setName] = useState(title);
  const [sure, setSure] = useState(false);
  const [fault, setFault] = useState<string>();
  const path = `/conversations/${encodeURIComponent(id)}`;
  const run = (work: Promise<unknown>, then: () => void): void => {
    work.then(then, (thrown: unknown) => setFault(thrown instanceof Error ? thrown.message : String(thrown)));
  };
  return (
    <form
      className={styles["menu"]}
      onSubmit={(event) => {
        event.preventDefault();
        run(ask("PATCH", path, { title: name }), onDone);
      }}
    >
      <input
        aria-label="Title"
        value={name}
        onChange={({ target }) => setName(target.value)}
        maxLength={100}
      />
      <Button type="submit">Rename</Button>
      <Button
        look="danger"
        onClick={() =>
          sure ? run(ask("DELETE", path), () => goTo("/app", { instead: true })) : setSure(true)
        }
      >
        {sure ? "Delete for good" : "Delete"}
      </Button>
      {fault === undefined ? null : (
        <p className={styles["fault"]} role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}

const Gone = ({ error }: { readonly error: Error }) => (
  <>
    <TopBar title="Conversation" />
    <p className={styles["empty"]} role="alert">
      {error.message}
    </p>
  </>
);
