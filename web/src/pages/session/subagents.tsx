import { Link } from "@tanstack/react-router";
import type { TurnSpan, TurnTimeline } from "../../session/timeline.ts";
import styles from "./session.module.css";

type Subagent = Extract<TurnSpan, { readonly kind: "subagent" }>;

/** The subagents of a session as a tree of links; nothing where there were none. */
export function Subagents({ turns }: { readonly turns: readonly TurnTimeline[] }) {
  const all = turns.flatMap(({ spans }) =>
    spans.filter((span): span is Subagent => span.kind === "subagent"),
  );
  if (all.length === 0) return null;
  return (
    <details className={styles["subagents"]}>
      <summary>
        {all.length} {all.length === 1 ? "subagent" : "subagents"}
      </summary>
      <ul>
        {all.map((each) => (
          // Those of a subagent follow it, a step further in.
          <li key={each.subagent_id} style={{ paddingLeft: `${(each.depth - 1) * 16}px` }}>
            <Link to="/sessions/$id" params={{ id: each.child_session_id }}>
              {each.goal}
            </Link>{" "}
            {each.status ?? "working"}
          </li>
        ))}
      </ul>
    </details>
  );
}
