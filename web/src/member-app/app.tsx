import { useCallback, useEffect, useState } from "react";
import { RequestRefused } from "../client/dashboard-api.ts";
import { classes } from "../design/classes.ts";
import { ask, type MemberWire } from "./ask.ts";
import { ChatScreen, NewChatScreen } from "./chat-screen.tsx";
import { ChatList } from "./chat-list.tsx";
import { MeScreen } from "./me-screen.tsx";
import { Outbox } from "./outbox.ts";
import { placeAt, usePath } from "./place.ts";
import { SignIn } from "./sign-in.tsx";
import styles from "./app.module.css";

const KNOWN = "app:member";

/** The app: who is not signed in signs in, everybody else sees their conversations. */
export function App() {
  const [member, setMember] = useState<MemberWire | null | undefined>(() => knownMember());
  const [closed, setClosed] = useState<string>();
  const look = useCallback(() => {
    ask<{ readonly user?: MemberWire }>("GET", "/me").then(
      ({ user }) => {
        setClosed(undefined);
        keepMember(user);
        setMember((known) => (user === undefined ? null : known?.id === user.id ? known : user));
      },
      (thrown: unknown) => {
        // Without a connection what was written here can be read, and sent later.
        setMember((known) => known ?? null);
        if (thrown instanceof RequestRefused && thrown.code === "no_app") {
          setMember(null);
          setClosed(thrown.message);
        }
      },
    );
  }, []);
  useEffect(() => {
    look();
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [look]);
  if (member === undefined) return null;
  if (closed !== undefined) return <main className={styles["empty"]}>{closed}</main>;
  return member === null ? (
    <SignIn onDone={look} />
  ) : (
    <Screens key={member.id} member={member} onLeft={look} />
  );
}

function Screens({ member, onLeft }: { readonly member: MemberWire; readonly onLeft: () => void }) {
  const [outbox] = useState(() => new Outbox(member.id));
  const path = usePath();
  const place = placeAt(path);
  return (
    <div className={classes(styles["screens"], place.screen === "chats" && styles["atList"])}>
      <ChatList outbox={outbox} shown={place.screen === "chat" ? place.id : undefined} />
      <main className={styles["main"]}>
        {place.screen === "chat" ? <ChatScreen key={place.id} id={place.id} outbox={outbox} /> : null}
        {place.screen === "new" ? <NewChatScreen outbox={outbox} name={member.name} /> : null}
        {place.screen === "me" ? <MeScreen member={member} outbox={outbox} onLeft={onLeft} /> : null}
        {place.screen === "chats" ? (
          <p className={styles["choose"]}>Choose a conversation, or begin one.</p>
        ) : null}
      </main>
    </div>
  );
}

function knownMember(): MemberWire | undefined {
  try {
    const kept = localStorage.getItem(KNOWN);
    // Only this function's counterpart writes it.
    return kept === null ? undefined : (JSON.parse(kept) as MemberWire);
  } catch {
    return undefined;
  }
}

function keepMember(member: MemberWire | undefined): void {
  if (member === undefined) localStorage.removeItem(KNOWN);
  else localStorage.setItem(KNOWN, JSON.stringify(member));
}
