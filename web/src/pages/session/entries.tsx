import { memo } from "react";
import { Badge, type Tone } from "../../design/badge.tsx";
import { Markdown } from "../../design/markdown.tsx";
import type { Entry } from "../../session/live-session.ts";
import styles from "./session.module.css";

/** One line of the conversation. It is drawn again only when it changed. */
export const EntryRow = memo(function EntryRow({ entry }: { readonly entry: Entry }) {
  switch (entry.kind) {
    case "prompt":
      return <p className={styles["prompt"]}>{entry.text}</p>;
    case "answer":
      return <Markdown text={entry.text} />;
    case "reasoning":
      return (
        <details className={styles["tool"]}>
          <summary>Reasoning</summary>
          <p className={styles["output"]}>{entry.text}</p>
        </details>
      );
    case "tool":
      return <ToolRow call={entry} />;
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

function ToolRow({ call }: { readonly call: Extract<Entry, { readonly kind: "tool" }> }) {
  const [tone, words] =
    call.outcome === undefined
      ? (["busy", "Running"] as const)
      : (OUTCOMES[call.outcome] ?? ["plain", call.outcome]);
  const shown = [call.diff, call.output].filter((text) => text !== undefined && text !== "").join("\n\n");
  // What went wrong is read without a click.
  const isOpen = call.outcome === "error" || call.outcome === "denied";
  return (
    <details className={styles["tool"]} open={isOpen}>
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
