import { type ReactNode, useState, useSyncExternalStore } from "react";
import { Button } from "../design/button.tsx";
import { Markdown } from "../design/markdown.tsx";
import { ask, type MemberWire, wordsOf } from "./ask.ts";
import { ChatActions } from "./chat-actions.tsx";
import { Composer } from "./composer.tsx";
import type { Conversation } from "./conversation.ts";
import { BackIcon, IconButton, MoreIcon } from "./icons.tsx";
import { DayLine, Message, OutgoingMessage } from "./message.tsx";
import { dayName } from "./moments.ts";
import type { Outbox, Outgoing } from "./outbox.ts";
import { goTo, newChatPath } from "./place.ts";
import { QuestionCard } from "./question-card.tsx";
import { Scroller } from "./scroller.tsx";
import { useConversation } from "./use-conversation.ts";
import styles from "./app.module.css";

interface ChatScreenProps {
  /** Absent until its first message has made it. */
  readonly id: string | undefined;
  /** The name under which its messages are sent. */
  readonly name: string;
  readonly outbox: Outbox;
  readonly member: MemberWire;
}

/** One conversation, also one that its first message will make. */
export function ChatScreen({ id, name, outbox, member }: ChatScreenProps) {
  const { conversation, cut, error, loadOlder } = useConversation(id);
  const [fault, setFault] = useState<string>();
  const own = useOwnMessages([name, id], outbox, conversation);
  const failed = (thrown: unknown): void => setFault(wordsOf(thrown));
  const send = (text: string, images: readonly string[]): void => void outbox.add(id ?? name, text, images);
  const stop = (): void => {
    setFault(undefined);
    ask("POST", `/conversations/${encodeURIComponent(id ?? "")}/stop`).catch(failed);
  };
  if (error !== undefined) return <Gone error={error} />;
  const isEmpty = id === undefined && own.length === 0;
  return (
    <>
      <ChatBar id={id} title={conversation?.title ?? ""} />
      <Scroller
        tick={`${conversation?.seq ?? 0} ${own.length}`}
        first={String(conversation?.messages[0]?.seq ?? "")}
      >
        {isEmpty ? <p className={styles["hello"]}>Hello {member.name}. What is it about?</p> : null}
        {conversation?.before === undefined ? null : (
          <Button look="quiet" onClick={() => void loadOlder().catch(failed)}>
            Older messages
          </Button>
        )}
        {conversation === undefined || id === undefined ? null : (
          <Messages chat={id} conversation={conversation} onAgain={(text) => send(text, [])} />
        )}
        {own.map((message) => (
          <OutgoingMessage key={message.id} message={message} outbox={outbox} />
        ))}
      </Scroller>
      <p className={styles["cut"]} role="status">
        {cut ?? fault ?? ""}
      </p>
      {conversation?.damaged === true ? (
        <Damaged />
      ) : (
        <Composer
          draftOf={id ?? "new"}
          isNew={id === undefined}
          onSend={send}
          onStop={conversation?.turn === undefined ? undefined : stop}
        />
      )}
    </>
  );
}

const Damaged = () => (
  <div className={styles["damaged"]} role="alert">
    <p>This conversation is damaged. What can be read of it is shown, and it takes nothing more.</p>
    <Button onClick={() => goTo(newChatPath())}>Begin a new one</Button>
  </div>
);

/** What is on its way to a conversation, and is not in it yet. */
function useOwnMessages(
  names: readonly (string | undefined)[],
  outbox: Outbox,
  conversation: Conversation | undefined,
): readonly Outgoing[] {
  const waiting = useSyncExternalStore(outbox.subscribe, () => outbox.waiting);
  const known = new Set(
    [...(conversation?.messages ?? []), ...(conversation?.queued ?? [])].map((each) => each.id),
  );
  // It may be seen in what is followed before the answer to its sending comes.
  return waiting.filter((each) => names.includes(each.chat) && !known.has(`prompt_${each.id}`));
}

function ChatBar({ id, title }: { readonly id: string | undefined; readonly title: string }) {
  const [isOpen, setOpen] = useState(false);
  if (id === undefined) return <TopBar title="New conversation" />;
  return (
    <TopBar title={title || "Conversation"}>
      <IconButton label="Rename or delete" onClick={() => setOpen(true)}>
        <MoreIcon />
      </IconButton>
      {isOpen ? (
        <ChatActions
          id={id}
          title={title}
          onClose={() => setOpen(false)}
          onRenamed={() => setOpen(false)}
          onDeleted={() => goTo("/app", { instead: true })}
        />
      ) : null}
    </TopBar>
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

interface MessagesProps {
  readonly chat: string;
  readonly conversation: Conversation;
  readonly onAgain: (text: string) => void;
}

function Messages({ chat, conversation, onAgain }: MessagesProps) {
  const { messages, queued, questions, turn } = conversation;
  const last = messages.at(-1);
  const brokeOff = last?.from === "end" && last.outcome !== "cancelled";
  const asked = brokeOff ? messages.findLast(({ from }) => from === "member")?.text : undefined;
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
      {asked === undefined || asked === "" ? null : (
        <span>
          <Button onClick={() => onAgain(asked)}>Ask again</Button>
        </span>
      )}
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
