import { useState } from "react";
import { Button } from "../design/button.tsx";
import { ask, wordsOf } from "./ask.ts";
import { Sheet } from "./sheet.tsx";
import styles from "./app.module.css";

interface ChatActionsProps {
  readonly id: string;
  readonly title: string;
  readonly onClose: () => void;
  readonly onRenamed: () => void;
  readonly onDeleted: () => void;
}

/** What can be done with a conversation: another title, or away with it. */
export function ChatActions({ id, title, onClose, onRenamed, onDeleted }: ChatActionsProps) {
  const [name, setName] = useState(title);
  const [sure, setSure] = useState(false);
  const [fault, setFault] = useState<string>();
  const path = `/conversations/${encodeURIComponent(id)}`;
  const run = (work: Promise<unknown>, then: () => void): void => {
    setFault(undefined);
    work.then(then, (thrown: unknown) => setFault(wordsOf(thrown)));
  };
  return (
    <Sheet title="Conversation" onClose={onClose}>
      <form
        className={styles["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          run(ask("PATCH", path, { title: name }), onRenamed);
        }}
      >
        <label className={styles["labelled"]}>
          <span>Title</span>
          <input value={name} onChange={({ target }) => setName(target.value)} maxLength={100} required />
        </label>
        <Button type="submit" look="primary">
          Rename
        </Button>
        <Button look="danger" onClick={() => (sure ? run(ask("DELETE", path), onDeleted) : setSure(true))}>
          {sure ? "Delete for good" : "Delete"}
        </Button>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        {fault === undefined ? null : (
          <p className={styles["fault"]} role="alert">
            {fault}
          </p>
        )}
      </form>
    </Sheet>
  );
}
