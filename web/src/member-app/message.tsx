import { memo } from "react";
import { Button } from "../design/button.tsx";
import { classes } from "../design/classes.ts";
import { Markdown } from "../design/markdown.tsx";
import type { MessageWire } from "./ask.ts";
import type { Outbox, Outgoing } from "./outbox.ts";
import styles from "./app.module.css";

/** One message that the server has. */
export const Message = memo(function Message({ message }: { readonly message: MessageWire }) {
  const { from, text, images = [], outcome } = message;
  switch (from) {
    case "member":
      return (
        <div className={styles["mine"]}>
          {images.map(({ hash }) => (
            <img key={hash} src={`/app/api/blobs/${hash}`} alt="Your picture" loading="lazy" />
          ))}
          {text === "" ? null : <p>{text}</p>}
        </div>
      );
    case "agent":
      return (
        <div className={styles["theirs"]}>
          <Markdown text={text} />
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
          {outcome === "cancelled" ? "Stopped." : text || "The answer broke off."}
        </p>
      );
  }
});

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
    <div className={classes(styles["mine"], styles["onItsWay"])}>
      {images.map((url) => (
        <img key={url.slice(-64)} src={url} alt="Your picture" />
      ))}
      {text === "" ? null : <p>{text}</p>}
      {refused === undefined ? (
        <span className={styles["state"]}>Sending…</span>
      ) : (
        <span className={styles["state"]} role="alert">
          Not sent: {refused}{" "}
          <Button look="quiet" onClick={() => void outbox.drop(id)}>
            Remove
          </Button>
        </span>
      )}
    </div>
  );
}
