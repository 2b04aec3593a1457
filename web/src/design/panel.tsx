import type { ReactNode } from "react";
import styles from "./panel.module.css";

interface PanelProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** Its content reaches the edges, as a table's does. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A part of a page with a title. */
export function Panel({ title, actions, flush = false, children }: PanelProps) {
  return (
    <section className={styles["panel"]} aria-label={title}>
      <header className={styles["head"]}>
        <h2>{title}</h2>
        {actions}
      </header>
      {flush ? children : <div className={styles["body"]}>{children}</div>}
    </section>
  );
}

/** What stands where there is nothing yet: what would be here, and what to do next. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={styles["empty"]}>
      <h3>{title}</h3>
      {children}
    </div>
  );
}
