import { useParams } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useRef } from "react";
import { Badge } from "../../design/badge.tsx";
import { Empty } from "../../design/panel.tsx";
import { Page } from "../../layout/page.tsx";
import type { LiveSession } from "../../session/live-session.ts";
import { QuestionCard } from "../../session/question-card.tsx";
import { useLiveSession } from "../../session/use-live-session.ts";
import { Composer } from "./composer.tsx";
import { EntryRow } from "./entries.tsx";
import styles from "./session.module.css";

/** One session as it goes on, whichever surface drives it. */
export function Session() {
  const { id } = useParams({ from: "/sessions/$id" });
  const { session, fault } = useLiveSession(id);
  if (fault !== undefined)
    return (
      <Page title="Session">
        <Empty title="This session cannot be shown">
          <p>{fault}</p>
        </Empty>
      </Page>
    );
  return session === undefined ? <Page title="Session">{null}</Page> : <Conversation session={session} />;
}

function Conversation({ session }: { readonly session: LiveSession }) {
  const { id, info, running, entries, questions } = session;
  const name = info.title === "" ? id : info.title;
  const scroll = useScrollToEnd(entries);
  useEffect(() => {
    document.title = `${name} · Agent`;
  }, [name]);
  return (
    <main id="main" tabIndex={-1} className={styles["page"]}>
      <header className={styles["head"]}>
        <h1>{name}</h1>
        <SessionBadge running={running} isAsking={questions.length > 0} />
        <p className={styles["facts"]}>
          <span>{info.model}</span>
          <span>{info.cwd}</span>
          <span>{info.usage.total} tokens</span>
        </p>
      </header>
      <div className={styles["scroll"]} ref={scroll} tabIndex={0} role="region" aria-label="Conversation">
        <ol className={styles["list"]}>
          {entries.map((entry) => (
            <li key={entry.key}>
              <EntryRow entry={entry} />
            </li>
          ))}
          {questions.map((question) => (
            <li key={question.id}>
              <QuestionCard question={question} />
            </li>
          ))}
        </ol>
      </div>
      <Composer id={id} running={running} />
    </main>
  );
}

function SessionBadge({ running, isAsking }: { readonly running: boolean; readonly isAsking: boolean }) {
  if (isAsking) return <Badge tone="warn">Waiting</Badge>;
  return running ? <Badge tone="busy">Working</Badge> : <Badge>Idle</Badge>;
}

/** Pixels from the end at which one still counts as reading it. */
const NEAR = 80;

/** Stays at the end of what grows, unless the reader went up. */
function useScrollToEnd(growing: unknown) {
  const area = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    const { current } = area;
    const look = (): void => {
      if (current !== null)
        follows.current = current.scrollHeight - current.scrollTop - current.clientHeight < NEAR;
    };
    current?.addEventListener("scroll", look, { passive: true });
    return () => current?.removeEventListener("scroll", look);
  }, []);
  useLayoutEffect(() => {
    if (follows.current) area.current?.scrollTo({ top: area.current.scrollHeight });
  }, [growing]);
  return area;
}
