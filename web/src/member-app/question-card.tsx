import { type FormEvent, useState } from "react";
import { Button } from "../design/button.tsx";
import { ask, type QuestionWire, wordsOf } from "./ask.ts";
import styles from "./app.module.css";

/** A question of the agent, answered with a touch or in one's own words. */
export function QuestionCard({ chat, question }: { readonly chat: string; readonly question: QuestionWire }) {
  const [words, setWords] = useState("");
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const answer = (text: string | undefined): void => {
    setBusy(true);
    setFault(undefined);
    ask("POST", `/conversations/${encodeURIComponent(chat)}/answers`, {
      question_id: question.id,
      ...(text === undefined ? {} : { text }),
    }).catch((thrown: unknown) => {
      setBusy(false);
      setFault(wordsOf(thrown));
    });
  };
  if (question.kind === "operator") return <p className={styles["card"]}>{question.text}</p>;
  return (
    <section className={styles["card"]} aria-label="Question">
      <p className={styles["cardText"]}>{question.text}</p>
      <div className={styles["choices"]}>
        {question.choices.map((choice) => (
          <Button key={choice} disabled={busy} onClick={() => answer(choice)}>
            {choice}
          </Button>
        ))}
      </div>
      <form
        className={styles["ownWords"]}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (words.trim() !== "") answer(words);
        }}
      >
        <input
          aria-label="Your answer"
          placeholder="Or in your own words"
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
        <Button type="submit" look="primary" disabled={busy || words.trim() === ""}>
          Answer
        </Button>
        <Button look="quiet" disabled={busy} onClick={() => answer(undefined)}>
          Skip
        </Button>
      </form>
      {fault === undefined ? null : (
        <p className={styles["fault"]} role="alert">
          {fault}
        </p>
      )}
    </section>
  );
}
