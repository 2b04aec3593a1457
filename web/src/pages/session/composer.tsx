import { useMutation } from "@tanstack/react-query";
import { useGateway } from "../../client/gateway.ts";
import { Button } from "../../design/button.tsx";
import { usePrompt } from "../../session/use-prompt.ts";
import styles from "./session.module.css";

interface ComposerProps {
  readonly id: string;
  readonly running: boolean;
  /** What stands there at first. */
  readonly draft: string;
}

/** Where one steps in: a prompt, words for the running turn, or its end. */
export function Composer({ id, running, draft }: ComposerProps) {
  const client = useGateway();
  const { text, setText, refOf, taken } = usePrompt(draft);
  const send = useMutation({
    mutationFn: ({ sent, mode }: { readonly sent: string; readonly mode: "queue" | "steer" }) =>
      client.request("prompt.submit", { session_id: id, text: sent, mode, submission_ref: refOf(sent) }),
    onSuccess: (_answer, { sent }) => taken(sent),
  });
  const stop = useMutation({
    mutationFn: () => client.request("session.interrupt", { session_id: id, keep_queue: true }),
  });
  const error = send.error ?? stop.error;
  const isEmpty = text.trim() === "" || send.isPending;
  return (
    <form
      className={styles["composer"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty) send.mutate({ sent: text, mode: "queue" });
      }}
    >
      <label className="visually-hidden" htmlFor="prompt">
        Message to the agent
      </label>
      <textarea
        id="prompt"
        rows={1}
        value={text}
        placeholder={running ? "Waits until this turn is over, or steers it" : "Ask the agent"}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      {error === null ? null : (
        <p className={styles["note"]} data-tone="bad" role="alert">
          {error.message}
        </p>
      )}
      <div className={styles["row"]}>
        {running ? (
          <>
            <Button look="danger" disabled={stop.isPending} onClick={() => stop.mutate()}>
              Stop
            </Button>
            <Button disabled={isEmpty} onClick={() => send.mutate({ sent: text, mode: "steer" })}>
              Steer
            </Button>
          </>
        ) : null}
        <Button look="primary" type="submit" disabled={isEmpty}>
          {running ? "Queue" : "Send"}
        </Button>
      </div>
    </form>
  );
}
