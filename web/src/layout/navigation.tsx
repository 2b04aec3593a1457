import { Link } from "@tanstack/react-router";
import styles from "./shell.module.css";

interface Entry {
  readonly to: string;
  readonly label: string;
}

/** The pages, in the order of the side: what is looked at all day, then what is set up now and then. */
const GROUPS: readonly { readonly label?: string; readonly entries: readonly Entry[] }[] = [
  {
    entries: [
      { to: "/", label: "Home" },
      { to: "/sessions", label: "Sessions" },
      { to: "/approvals", label: "Approvals" },
    ],
  },
  {
    label: "Agent",
    entries: [
      { to: "/connectors", label: "Connectors" },
      { to: "/personas", label: "Personas" },
      { to: "/users", label: "Users" },
      { to: "/jobs", label: "Jobs" },
      { to: "/hooks", label: "Webhooks" },
      { to: "/models", label: "Models" },
      { to: "/skills", label: "Skills" },
      { to: "/memory", label: "Memory" },
      { to: "/kb", label: "KB" },
      { to: "/system", label: "System" },
    ],
  },
];

interface NavigationProps {
  /** Numbers that stand beside an entry, by its address. */
  readonly counts: Readonly<Record<string, number>>;
  readonly onGo?: () => void;
}

/** The way to all pages. */
export function Navigation({ counts, onGo }: NavigationProps) {
  return (
    <nav className={styles["nav"]} aria-label="Pages">
      {GROUPS.map(({ label, entries }) => (
        <div key={label ?? ""} className={styles["nav"]}>
          {label === undefined ? null : <p className={styles["group"]}>{label}</p>}
          {entries.map(({ to, label: name }) => (
            <Link
              key={to}
              to={to}
              className={styles["link"]}
              activeOptions={{ exact: to === "/" }}
              {...(onGo === undefined ? {} : { onClick: onGo })}
            >
              {name}
              {(counts[to] ?? 0) > 0 ? <span className={styles["count"]}>{counts[to]}</span> : null}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}
