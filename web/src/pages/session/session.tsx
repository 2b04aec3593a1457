import { useMutation } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import { useGateway } from "../../client/gateway.ts";
import { Badge } from "../../design/badge.tsx";
import { count, dollars } from "../../design/figures.ts";
import { Empty } from "../../design/panel.tsx";
import { Page } from "../../layout/page.tsx";
import { type LiveSession } from "../../session/live-session.ts";
import { QuestionCard } from "../../session/question-card.tsx";
import type { TurnTimeline } from "../../session/timeline.ts";
import { useLiveSession } from "../../session/use-live-session.ts";
import { useTimeline } from "../../session/use-timeline.ts";
import { Composer } from "./composer.tsx";
import { Conversation } from "./conversation.tsx";
import { DamagedSession } from "./damaged-session.tsx";
import { RewindDialog } from "./rewind-dialog.tsx";
import { SessionActions } from "./session-actions.tsx";
import styles from "./session.module.css";
import { Subagents } from "./subagents.tsx";

/** One session as it goes on, whichever surface drives it. */
export function Session() {
  const { id } = useParams({ from: "/sessions/$id" });
  // Nothing of the session that was shown before is left in the page.
  return <FollowedView key={id} id={id} />;
}

function FollowedView({ id }: { readonly id: string }) {
  const { at } = useSearch({ from: "/sessions/$id" });
  const { session, fault, isDamaged, readOlder } = useLiveSession(id);
  if (fault !== undefined && isDamaged === true) return <DamagedSession id={id} fault={fault} place={at} />;
  if (fault !== undefined)
    return (
      <Page title="Session">
        <Empty title="This session cannot be shown">
          <p>{fault}</p>
        </Empty>
      </Page>
    );
  if (session === undefined) return <Page title="Session">{null}</Page>;
  return <SessionView session={session} place={at} readOlder={readOlder} />;
}

interface SessionViewProps {
  readonly session: LiveSession;
  readonly place: number | undefined;
  readonly readOlder: () => void;
}

function SessionView({ session, place, readOlder }: SessionViewProps) {
  const { id, info, running, entries, questions, before } = session;
  const client = useGateway();
  const navigate = useNavigate();
  const timeline = useTimeline(id);
  const [rewound, setRewound] = useState<TurnTimeline>();
  const [draft, setDraft] = useState("");
  const name = info.title === "" ? id : info.title;
  useEffect(() => {
    document.title = `${name} · Agent`;
  }, [name]);
  const { mutate: fork, error } = useMutation({
    mutationFn: ({ end_row_id: at }: TurnTimeline) =>
      client.request("session.branch", { session_id: id, ...(at === undefined ? {} : { at }) }),
    onSuccess: ({ session_id }) => navigate({ to: "/sessions/$id", params: { id: session_id } }),
  });
  const close = useCallback(() => setRewound(undefined), []);
  return (
    <main id="main" tabIndex={-1} className={styles["page"]}>
      <header className={styles["head"]}>
        <h1>{name}</h1>
        <SessionBadge running={running} isAsking={questions.length > 0} />
        <p className={styles["facts"]}>
          <span>{info.model}</span>
          {info.personality === "" ? null : <span>as {info.personality}</span>}
          <span>{info.cwd}</span>
          <span>{count(info.usage.total)} tokens</span>
          <span>{dollars(info.usage.cost_usd)}</span>
        </p>
        <Subagents turns={timeline.turns} />
        <SessionActions id={id} title={name} running={running} />
        {error === null ? null : (
          <p className={styles["note"]} data-tone="bad" role="alert">
            {error.message}
          </p>
        )}
      </header>
      <Conversation
        {...{ entries, timeline, readOlder, place }}
        hasOlder={before !== undefined}
        onFork={fork}
        onRewind={setRewound}
      />
      <div className={styles["foot"]}>
        {questions.length === 0 ? null : (
          <section className={styles["questions"]} aria-label="Questions" tabIndex={0}>
            {questions.map((question) => (
              <QuestionCard key={question.id} question={question} />
            ))}
          </section>
        )}
        <Composer key={draft} id={id} running={running} draft={draft} />
      </div>
      {rewound === undefined ? null : (
        <RewindDialog
          id={id}
          turn={rewound}
          onClose={close}
          onDone={(prompt) => {
            setDraft(prompt);
            close();
          }}
        />
      )}
    </main>
  );
}

function SessionBadge({ running, isAsking }: { readonly running: boolean; readonly isAsking: boolean }) {
  if (isAsking) return <Badge tone="warn">Waiting</Badge>;
  return running ? <Badge tone="busy">Working</Badge> : <Badge>Idle</Badge>;
}
