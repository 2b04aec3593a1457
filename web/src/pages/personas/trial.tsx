import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { ask } from "../../client/dashboard-api.ts";
import { useGateway } from "../../client/gateway.ts";
import type { PersonaFields } from "../../client/personas.ts";
import { Button } from "../../design/button.tsx";
import { Fault } from "../../design/fault.tsx";
import { Area } from "../../design/field.tsx";
import { count, dollars } from "../../design/figures.ts";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { QuestionCard } from "../../session/question-card.tsx";
import { useLiveSession } from "../../session/use-live-session.ts";
import { usePrompt } from "../../session/use-prompt.ts";
import { EntryRow } from "../session/entries.tsx";
import styles from "./personas.module.css";

interface TrialProps {
  readonly name: string;
  readonly fields: PersonaFields;
}

const endTrial = (id: string): void =>
  void ask("DELETE", `/personas/trials/${encodeURIComponent(id)}`).catch(() => undefined);

/** A conversation with what stands in the editor, saved or not. It is in no list, and forgotten when the page is left. */
export function Trial({ name, fields }: TrialProps) {
  const client = useGateway();
  const [id, setId] = useState<string>();
  const { text, setText, refOf, taken } = usePrompt("");
  const last = useRef<string>(undefined);
  useEffect(
    () => () => {
      if (last.current !== undefined) endTrial(last.current);
    },
    [],
  );
  const send = useMutation({
    mutationFn: async (sent: string) => {
      const draft = { name: name.trim() === "" ? "draft" : name.trim(), fields };
      // That of a try that failed is there too.
      const body = last.current === undefined ? draft : { ...draft, session_id: last.current };
      const { session_id } = await ask<{ readonly session_id: string }>("POST", "/personas/trials", body);
      last.current = session_id;
      if (session_id !== id) await client.request("session.resume", { session_id });
      await client.request("prompt.submit", {
        session_id,
        text: sent,
        mode: "queue",
        submission_ref: refOf(sent),
      });
      return session_id;
    },
    onSuccess: (made, sent) => {
      taken(sent);
      setId(made);
    },
  });
  const startOver = (): void => {
    if (id !== undefined) endTrial(id);
    last.current = undefined;
    setId(undefined);
    send.reset();
  };
  return (
    <Panel
      title="Try it"
      actions={
        id === undefined ? undefined : (
          <Button look="quiet" onClick={startOver}>
            Start over
          </Button>
        )
      }
    >
      <div className={row["stack"]}>
        {id === undefined ? (
          <p className={row["soft"]}>
            Ask what people will ask. It answers as what stands in the editor, saved or not, with the tools
            that it would have; it costs what any answer costs.
          </p>
        ) : (
          <TrialTalk id={id} />
        )}
        <form
          className={row["stack"]}
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            if (text.trim() !== "" && !send.isPending) send.mutate(text);
          }}
        >
          <Area
            label="Message"
            rows={2}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <Fault error={send.error} />
          <div className={row["row"]}>
            <Button type="submit" disabled={text.trim() === "" || send.isPending}>
              Ask
            </Button>
          </div>
        </form>
      </div>
    </Panel>
  );
}

function TrialTalk({ id }: { readonly id: string }) {
  const { session, fault } = useLiveSession(id);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const area = useRef<HTMLDivElement>(null);
  const { entries = [], questions = [], info, running = false } = session ?? {};
  useEffect(() => {
    area.current?.scrollTo({ top: area.current.scrollHeight });
  }, [entries]);
  const turn = (key: string, isTurned: boolean): void =>
    setTurned((known) => {
      const next = new Set(known);
      if (isTurned) next.add(key);
      else next.delete(key);
      return next;
    });
  if (fault !== undefined) return <p role="alert">{fault}</p>;
  const figures = [`${count(info?.usage.total ?? 0)} tokens`, dollars(info?.usage.cost_usd), info?.model];
  return (
    <>
      <div ref={area} className={styles["talk"]} tabIndex={0} role="region" aria-label="Trial">
        <ol>
          {entries.map((entry) => (
            <li key={entry.key}>
              <EntryRow
                entry={entry}
                isTurned={turned.has(entry.key)}
                onTurn={(isTurned) => turn(entry.key, isTurned)}
              />
            </li>
          ))}
        </ol>
      </div>
      {questions.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
      <p className={row["soft"]} role="status">
        {running ? "Working … " : ""}
        {figures.filter((each) => each !== undefined && each !== "").join(" · ")}
      </p>
    </>
  );
}
