import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useGateway } from "../../client/gateway.ts";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { useReadablePart } from "../../session/use-readable-part.ts";
import type { SessionTimeline } from "../../session/use-timeline.ts";
import { Conversation } from "./conversation.tsx";
import styles from "./session.module.css";

interface DamagedSessionProps {
  readonly id: string;
  readonly fault: string;
  readonly place: number | undefined;
}

/** The time line of a session that is damaged cannot be read. */
const NO_TIMELINE: SessionTimeline = { turns: [], readAt: 0, reach: () => Promise.resolve() };

/** What can be read of a damaged session, and the way to go on from there. */
export function DamagedSession({ id, fault, place }: DamagedSessionProps) {
  const client = useGateway();
  const navigate = useNavigate();
  const { entries, hasOlder, readOlder, error } = useReadablePart(id);
  useEffect(() => {
    document.title = "Damaged session · Agent";
  }, []);
  const branch = useMutation({
    mutationFn: () => client.request("session.branch", { session_id: id }),
    onSuccess: ({ session_id }) => navigate({ to: "/sessions/$id", params: { id: session_id } }),
  });
  const failure = error ?? branch.error;
  return (
    <main id="main" tabIndex={-1} className={styles["page"]}>
      <header className={styles["head"]}>
        <h1>Session</h1>
        <Badge tone="bad">Damaged</Badge>
        <Button disabled={branch.isPending} onClick={() => branch.mutate()}>
          Branch
        </Button>
        {[fault, ...(failure === null ? [] : [failure.message])].map((words) => (
          <p key={words} className={styles["note"]} data-tone="bad" role="alert">
            {words}
          </p>
        ))}
      </header>
      <Conversation
        {...{ entries, hasOlder, readOlder, place }}
        timeline={NO_TIMELINE}
        onFork={() => undefined}
        onRewind={() => undefined}
      />
    </main>
  );
}
