import { memo } from "react";
import { Button } from "../design/button.tsx";
import { classes } from "../design/classes.ts";
import { Markdown } from "../design/markdown.tsx";
import type { MessageWire } from "./ask.ts";
import { clockTime } from "./moments.ts";
import type { Outbox, Outgoing } from "./outbox.ts";
import { Picture } from "./picture.tsx";
import styles from "./app.module.css";

interface MessageProps {
  readonly message: MessageWire;
  /** Something beside its time. */
  readonly note?: string;
}

/** One message that the server has. */
export const Message = memo(function Message({ message, note }: MessageProps) {
  const { from, text, at, images = [], outcome } = message;
  switch (from) {
    case "member":
      return (
        <div className={styles["mine"]}>
          {images.map(({ hash }) => (
            <Picture key={hash} url={`/app/api/blobs/${hash}`} />
          ))}
          {text === "" ? null : <p>{text}</p>}
          <span className={styles["state"]}>{note ?? clockTime(at)}</span>
        </div>
      );
    case "agent":
      return (
        <div className={styles["theirs"]}>
          <Markdown text={text} />
          <span className={styles["state"]}>{clockTime(at)}</span>
        </div>
      );
    case "tool":
      return (
        <p className={styles["step"]}>
          {text}
          {outcome === "ok" ? "" : " (did not work)"}
        </p>
      );
    case "end":
      return (
        <p className={styles["stopped"]}>
          {outcome === "cancelled" ? "Stopped." : `The answer broke off. ${text}`}
        </p>
      );
  }
});

/** The line where another day begins. */
export const DayLine = ({ day }: { readonly day: string }) => <p className={styles["day"]}>{day}</p>;

/** A message that is still on its way. */
export function OutgoingMessage({
  message,
  outbox,
}: {
  readonly message: Outgoing;
  readonly outbox: Outbox;
}) {
  const { id, text, images, refused } = message;
  return (
    <div className={classes(styles["mine"], message.sent === undefined && styles["onItsWay"])}>
      {images.map((url) => (
        <Picture key={url.slice(-64)} url={url} />
      ))}
      {text === "" ? null : <p>{text}</p>}
      {refused === undefined ? (
        <span className={styles["state"]}>{stateOf(message)}</span>
      ) : (
        <span className={styles["notSent"]} role="alert">
          <span>Not sent: {refused}</span>
          <Button onClick={() => outbox.retry(id)}>Try again</Button>
          <Button look="quiet" onClick={() => void outbox.drop(id)}>
            Remove
          </Button>
        </span>
      )}
    </div>
  );
}

/** What is true of it: that it is on its way says only what outlives the page. */
function stateOf({ at, sent, isKept }: Outgoing): string {
  if (sent !== undefined) return clockTime(at / 1000);
  if (isKept === undefined) return "";
  return isKept ? "Sending…" : "Sending… Leave this page open.";
}
