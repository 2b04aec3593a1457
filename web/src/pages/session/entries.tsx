import { memo } from "react";
import { Badge, type Tone } from "../../design/badge.tsx";
import { Markdown } from "../../design/markdown.tsx";
import type { Entry } from "../../session/live-session.ts";
import styles from "./session.module.css";

interface EntryRowProps {
  readonly entry: Entry;
  /** It was opened, or closed where it is open at first. */
  readonly isTurned: boolean;
  readonly onTurn: (isTurned: boolean) => void;
}

/** One line of the conversation. It is drawn again only when it changed. */
export const EntryRow = memo(function EntryRow({ entry, ...turn }: EntryRowProps) {
  switch (entry.kind) {
    case "prompt":
      return <p className={styles["prompt"]}>{entry.text}</p>;
    case "answer":
      return <Markdown text={entry.text} />;
    case "reasoning":
      return (
        <details
          className={styles["tool"]}
          open={turn.isTurned}
          onToggle={({ currentTarget }) => turn.onTurn(currentTarget.open)}
        >
          <summary>Reasoning</summary>
          <p className={styles["output"]}>{entry.text}</p>
        </details>
      );
    case "tool":
      return <ToolRow call={entry} {...turn} />;
    case "note":
      return (
        <p className={styles["note"]} data-tone={entry.tone}>
          {entry.text}
        </p>
      );
  }
});

const OUTCOMES: Readonly<Record<string, readonly [Tone, string]>> = {
  ok: ["good", "Done"],
  error: ["bad", "Failed"],
  denied: ["warn", "Denied"],
  cancelled: ["warn", "Cancelled"],
  unknown: ["warn", "Unknown"],
};

interface ToolRowProps extends Omit<EntryRowProps, "entry"> {
  readonly call: Extract<Entry, { readonly kind: "tool" }>;
}

function ToolRow({ call, isTurned, onTurn }: ToolRowProps) {
  const [tone, words] =
    call.outcome === undefined
      ? (["busy", "Running"] as const)
      : (OUTCOMES[call.outcome] ?? ["plain", call.outcome]);
  const shown = [call.diff, call.output].filter((text) => text !== undefined && text !== "").join("\n\n");
  // What went wrong is read without a click.
  const isOpenFirst = call.outcome === "error" || call.outcome === "denied";
  return (
    <details
      className={styles["tool"]}
      open={isOpenFirst !== isTurned}
      onToggle={({ currentTarget }) => onTurn(currentTarget.open !== isOpenFirst)}
    >
      <summary>
        <strong>{call.name}</strong>
        <span className={styles["about"]}>{call.about}</span>
        {call.took === undefined ? null : <span className={styles["note"]}>{call.took.toFixed(1)} s</span>}
        <Badge tone={tone}>{words}</Badge>
      </summary>
      <pre className={styles["output"]} tabIndex={0}>
        {shown === "" ? "No output yet." : shown}
      </pre>
    </details>
  );
}
