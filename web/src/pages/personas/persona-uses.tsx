import { Link } from "@tanstack/react-router";
import type { PersonaRow } from "../../../../src/dashboard/api/persona-routes.ts";
import styles from "./personas.module.css";

type Use = PersonaRow["uses"][number];

const MOST_SHOWN = 20;

/** Everybody for whom a persona is chosen. */
export function PersonaUses({ uses }: { readonly uses: readonly Use[] }) {
  if (uses.length === 0) return "Nobody";
  const more = uses.length - MOST_SHOWN;
  return (
    <ul className={styles["uses"]}>
      {uses.slice(0, MOST_SHOWN).map((use) => (
        <li key={`${use.kind} ${use.id}`}>
          <UseName use={use} />
        </li>
      ))}
      {more > 0 ? <li>and {more} more</li> : null}
    </ul>
  );
}

function UseName({ use: { kind, id, title } }: { readonly use: Use }) {
  switch (kind) {
    case "default":
      return <span title={id}>Default of {title}</span>;
    case "platform":
      return <span title={id}>All of {title}</span>;
    case "channel":
      return <span title={id}>Chat {title}</span>;
    case "user":
      return (
        <Link to="/users/$id" params={{ id }}>
          {title}
        </Link>
      );
    case "job":
      return (
        <Link to="/jobs/$id" params={{ id }}>
          Job {title}
        </Link>
      );
  }
}
