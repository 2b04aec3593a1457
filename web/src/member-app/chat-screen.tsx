import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { Button } from "../design/button.tsx";
import { Markdown } from "../design/markdown.tsx";
import { ask, wordsOf } from "./ask.ts";
import { ChatActions } from "./chat-actions.tsx";
import { Composer } from "./composer.tsx";
import type { Conversation } from "./conversation.ts";
import { BackIcon, IconButton, MoreIcon } from "./icons.tsx";
import { DayLine, Message, OutgoingMessage } from "./message.tsx";
import { dayName } from "./moments.ts";
import { Outbox, type Outgoing } from "./outbox.ts";
import { chatPath, goTo } from "./place.ts";
import { QuestionCard } from "./question-card.tsx";
import { Scroller } from "./scroller.tsx";
import { useConversation } from "./use-conversation.ts";
import styles from "./app.module.css";

/** One conversation. */
export function ChatScreen({ id, outbox }: { readonly id: string; readonly outbox: Outbox }) {
  const { conversation, connected, error, loadOlder } = useConversation(id);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [fault, setFault] = useState<string>();
  const own = useOwnMessages(id, outbox, conversation);
  const title = conversation?.title ?? "";
  const failed = (thrown: unknown): void => setFault(wordsOf(thrown));
  const stop = (): void => {
    setFault(undefined);
    ask("POST", `/conversations/${encodeURIComponent(id)}/stop`).catch(failed);
  };
  if (error !== undefined) return <Gone error={error} />;
  const status = connected ? fault : "No connection. What you write is sent as soon as there is one.";
  return (
    <>
      <TopBar title={title || "Conversation"}>
        <IconButton label="Rename or delete" onClick={() => setMenuOpen(true)}>
          <MoreIcon />
        </IconButton>
      </TopBar>
      {isMenuOpen ? (
        <ChatActions
          id={id}
          title={title}
          onClose={() => setMenuOpen(false)}
          onRenamed={() => setMenuOpen(false)}
          onDeleted={() => goTo("/app", { instead: true })}
        />
      ) : null}
      <Scroller
        tick={`${conversation?.seq ?? 0} ${own.length}`}
        first={String(conversation?.messages[0]?.seq ?? "")}
      >
        {conversation?.before === undefined ? null : (
          <Button look="quiet" onClick={() => void loadOlder().catch(failed)}>
            Older messages
          </Button>
        )}
        {conversation === undefined ? null : <Messages chat={id} conversation={conversation} />}
        {own.map((message) => (
          <OutgoingMessage key={message.id} message={message} outbox={outbox} />
        ))}
      </Scroller>
      <p className={styles["cut"]} role="status">
        {status ?? ""}
      </p>
      <Composer
        draftOf={id}
        onSend={(text, images) => void outbox.add(id, text, images)}
        onStop={conversation?.turn === undefined ? undefined : stop}
      />
    </>
  );
}

/** What is on its way to a conversation, and is not in it yet. */
function useOwnMessages(
  chat: string,
  outbox: Outbox,
  conversation: Conversation | undefined,
): readonly Outgoing[] {
  const waiting = useSyncExternalStore(outbox.subscribe, () => outbox.waiting);
  const known = new Set(
    [...(conversation?.messages ?? []), ...(conversation?.queued ?? [])].map((each) => each.id),
  );
  // It may be seen in what is followed before the answer to its sending comes.
  return waiting.filter((each) => each.chat === chat && !known.has(`prompt_${each.id}`));
}

/** A conversation that its first message will make. */
export function NewChatScreen({ outbox, name }: { readonly outbox: Outbox; readonly name: string }) {
  const [chat] = useState(() => Outbox.newChat());
  const own = useOwnMessages(chat, outbox, undefined);
  const made = useSyncExternalStore(outbox.subscribe, () => outbox.madeOf(chat));
  useEffect(() => {
    if (made !== undefined) goTo(chatPath(made), { instead: true });
  }, [made]);
  return (
    <>
      <TopBar title="New conversation" />
      <Scroller tick={String(own.length)} first="">
        {own.length === 0 ? <p className={styles["hello"]}>Hello {name}. What is it about?</p> : null}
        {own.map((message) => (
          <OutgoingMessage key={message.id} message={message} outbox={outbox} />
        ))}
      </Scroller>
      <p className={styles["cut"]} role="status" />
      <Composer draftOf="new" isNew onSend={(text, images) => void outbox.add(chat, text, images)} />
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
      {messages.map((message, at) => {
        const before = messages[at - 1];
        const day = dayName(message.at);
        const isNewDay = before === undefined || dayName(before.at) !== day;
        return [
          isNewDay ? <DayLine key={`${message.seq} day`} day={day} /> : null,
          <Message key={`${message.seq} ${message.from}`} message={message} />,
        ];
      })}
      {turn === undefined ? null : (
        <div className={styles["theirs"]}>
          {turn.step === undefined ? null : <p className={styles["step"]}>{turn.step.label}…</p>}
          {turn.text === "" ? questions.length === 0 && <Dots /> : <Markdown text={turn.text} />}
        </div>
      )}
      {questions.map((question) => (
        <QuestionCard key={question.id} chat={chat} question={question} />
      ))}
      {queued.map((message) => (
        <Message key={message.id ?? message.seq} message={message} note="Waits for its turn" />
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

const Gone = ({ error }: { readonly error: Error }) => (
  <>
    <TopBar title="Conversation" />
    <div className={styles["empty"]} role="alert">
      <p>{error.message}</p>
      <Button look="primary" onClick={() => goTo("/app", { instead: true })}>
        All conversations
      </Button>
    </div>
  </>
);
