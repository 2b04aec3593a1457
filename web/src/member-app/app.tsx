import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { RequestRefused } from "../client/dashboard-api.ts";
import { classes } from "../design/classes.ts";
import { ask, type MemberWire, SIGNED_OUT } from "./ask.ts";
import { ChatScreen } from "./chat-screen.tsx";
import { ChatList } from "./chat-list.tsx";
import { closeNotifications, forgetMember } from "./forget.ts";
import { keepMember, knownMember } from "./known-member.ts";
import { MeScreen } from "./me-screen.tsx";
import { Outbox } from "./outbox.ts";
import { chatPath, goTo, type Place, placeAt, usePath } from "./place.ts";
import { renewPush } from "./push.ts";
import { SignIn } from "./sign-in.tsx";
import styles from "./app.module.css";

/** The app: who is not signed in signs in, everybody else sees their conversations. */
export function App() {
  const { member, closed, look } = useMember();
  if (closed !== undefined) return <main className={styles["closed"]}>{closed}</main>;
  if (member === undefined) return null;
  return member === null ? (
    <SignIn onDone={look} />
  ) : (
    <Screens key={member.id} member={member} onLeft={look} />
  );
}

/** Who is signed in here; `null` for nobody, and `undefined` until that is known. */
function useMember() {
  const [member, setMember] = useState<MemberWire | null | undefined>(shownAtFirst);
  const [closed, setClosed] = useState<string>();
  const look = useCallback(() => {
    ask<{ readonly user?: MemberWire }>("GET", "/me").then(
      async ({ user }) => {
        setClosed(undefined);
        const known = knownMember();
        if (user === undefined) hide(known);
        else {
          if (known !== undefined && known.id !== user.id) await forgetOf(known);
          keepMember(user);
        }
        setMember((before) => (user === undefined ? null : before?.id === user.id ? before : user));
      },
      (thrown: unknown) => {
        // Without a connection what was written here can be read, and sent later.
        setMember((known) => known ?? null);
        if (thrown instanceof RequestRefused && thrown.code === "no_app") setClosed(thrown.message);
      },
    );
  }, []);
  useEffect(() => {
    look();
    const life = new AbortController();
    for (const name of ["focus", SIGNED_OUT]) addEventListener(name, look, { signal: life.signal });
    return () => life.abort();
  }, [look]);
  return { member, closed, look };
}

/** Without a connection, too, who was signed in last reads what is kept here; not once their sign-in ended. */
function shownAtFirst(): MemberWire | undefined {
  const known = knownMember();
  return known?.isAway === true ? undefined : known;
}

/** Shows nothing more of a member whose sign-in ended. What they wrote stays for them: nobody else is sent or shown it. */
function hide(member: MemberWire | undefined): void {
  if (member !== undefined) keepMember({ ...member, isAway: true });
  closeNotifications().catch(() => undefined);
}

async function forgetOf({ id }: MemberWire): Promise<void> {
  await new Outbox(id).clear();
  await forgetMember();
}

function Screens({ member, onLeft }: { readonly member: MemberWire; readonly onLeft: () => void }) {
  const [outbox] = useState(() => new Outbox(member.id));
  const path = usePath();
  const place = placeAt(path);
  const chat = useShownChat(place, outbox);
  useEffect(() => {
    outbox.start();
    // What failed now is tried when the app is opened again.
    renewPush().catch(() => undefined);
    return () => outbox.stop();
  }, [outbox]);
  return (
    <div className={classes(styles["screens"], place.screen === "chats" && styles["atList"])}>
      <ChatList outbox={outbox} shown={place.screen === "chat" ? place.id : undefined} />
      <main className={styles["main"]}>
        {chat === undefined ? null : (
          <ChatScreen key={chat.name} id={chat.id} name={chat.name} outbox={outbox} member={member} />
        )}
        {place.screen === "me" ? <MeScreen member={member} outbox={outbox} onLeft={onLeft} /> : null}
        {place.screen === "chats" ? (
          <p className={styles["choose"]}>Choose a conversation, or begin one.</p>
        ) : null}
      </main>
    </div>
  );
}

/** The conversation that is shown. It keeps its name when its first message has made it: nothing on the screen moves then. */
function useShownChat(place: Place, outbox: Outbox) {
  const made = useSyncExternalStore(outbox.subscribe, () =>
    place.screen === "new" ? outbox.madeOf(place.chat) : undefined,
  );
  useEffect(() => {
    if (made !== undefined) goTo(chatPath(made), { instead: true });
  }, [made]);
  if (place.screen === "new") return { name: place.chat, id: made };
  return place.screen === "chat" ? { name: outbox.nameOf(place.id), id: place.id } : undefined;
}
