import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { OpenRequest } from "../../../src/rpc/protocol/question.ts";
import { useGateway } from "../client/gateway.ts";
import { Badge } from "../design/badge.tsx";
import { Button } from "../design/button.tsx";
import { Field } from "../design/field.tsx";
import styles from "./question-card.module.css";

interface QuestionCardProps {
  readonly question: OpenRequest;
  /** Where it was asked; on a page of several sessions. */
  readonly children?: ReactNode;
  readonly onAnswered?: () => void;
}

/** A question that waits for somebody, and its answers. The first valid answer counts, from whichever surface. */
export function QuestionCard({ question, children, onAnswered }: QuestionCardProps) {
  switch (question.method) {
    case "approval":
      return <ApprovalCard request={question.params} {...{ children, onAnswered }} />;
    case "clarify":
      return <ClarifyCard request={question.params} {...{ children, onAnswered }} />;
    case "sudo":
    case "secret":
      return (
        <article className={styles["card"]}>
          <h3>
            <Badge tone="warn">{question.method === "sudo" ? "Password" : "Secret"}</Badge>
          </h3>
          <p>Passwords and secrets are given where the session runs, not in a browser.</p>
          {children}
        </article>
      );
  }
}

type Params<Method extends OpenRequest["method"]> = Extract<
  OpenRequest,
  { readonly method: Method }
>["params"];

interface CardProps<Method extends OpenRequest["method"]> {
  readonly request: Params<Method>;
  readonly children: ReactNode;
  readonly onAnswered: (() => void) | undefined;
}

const ANSWERS = {
  once: "Allow once",
  session: "Allow in this session",
  always: "Always allow",
  deny: "Deny",
} as const;

function ApprovalCard({ request, children, onAnswered }: CardProps<"approval">) {
  const client = useGateway();
  const [reason, setReason] = useState("");
  const answer = useMutation({
    mutationFn: (choice: keyof typeof ANSWERS) =>
      client.request("approval.respond", {
        session_id: request.session_id,
        request_id: request.request_id,
        choice,
        // The narrowest of what it may cover; a wider one is chosen where the whole list is shown.
        ...(choice === "always" && request.scopes?.[0] !== undefined ? { scope: request.scopes[0].id } : {}),
        ...(choice === "deny" && reason !== "" ? { reason } : {}),
      }),
    onSuccess: () => onAnswered?.(),
  });
  const narrowest = request.scopes?.[0]?.covers ?? request.covers ?? [];
  return (
    <article className={styles["card"]} aria-label={`Approval: ${request.description}`}>
      <h3>
        <Badge tone="warn">Approval</Badge>
        {request.description}
      </h3>
      {children}
      <pre tabIndex={0}>{request.inline_diff ?? request.command}</pre>
      {(request.reasons ?? []).map((each) => (
        <p key={each} className={styles["soft"]}>
          {each}
        </p>
      ))}
      {request.place === "outside" ? (
        <p className={styles["soft"]}>It would run outside the sandbox.</p>
      ) : null}
      <Field
        label="Why not"
        hint="Sent to the model with a denial."
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <div className={styles["row"]}>
        {request.choices.map((choice) => (
          <Button
            key={choice}
            look={choice === "once" ? "primary" : choice === "deny" ? "danger" : "plain"}
            disabled={answer.isPending}
            onClick={() => answer.mutate(choice)}
          >
            {ANSWERS[choice]}
          </Button>
        ))}
      </div>
      {request.choices.includes("always") && narrowest.length > 0 ? (
        <p className={styles["soft"]}>Always covers: {narrowest.join(", ")}</p>
      ) : null}
      <Fault error={answer.error} />
    </article>
  );
}

function ClarifyCard({ request, children, onAnswered }: CardProps<"clarify">) {
  const client = useGateway();
  const [text, setText] = useState("");
  const answer = useMutation({
    mutationFn: async (words: string) => {
      // The gateway answers questions of sessions that it has open.
      await client.request("session.resume", { session_id: request.session_id, omit_messages: true });
      return client.request("clarify.respond", { request_id: request.request_id, answer: words });
    },
    onSuccess: () => onAnswered?.(),
  });
  return (
    <article className={styles["card"]} aria-label={`Question: ${request.question}`}>
      <h3>
        <Badge tone="warn">Question</Badge>
        {request.question}
      </h3>
      {children}
      <div className={styles["row"]}>
        {(request.choices ?? []).map((choice) => (
          <Button key={choice} disabled={answer.isPending} onClick={() => answer.mutate(choice)}>
            {choice}
          </Button>
        ))}
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          answer.mutate(text);
        }}
      >
        <Field label="Your answer" value={text} onChange={({ target }) => setText(target.value)} />
        <div className={styles["row"]}>
          <Button look="primary" type="submit" disabled={answer.isPending || text === ""}>
            Answer
          </Button>
        </div>
      </form>
      <Fault error={answer.error} />
    </article>
  );
}

const Fault = ({ error }: { readonly error: Error | null }) =>
  error === null ? null : (
    <p className={styles["fault"]} role="alert">
      {error.message}
    </p>
  );
