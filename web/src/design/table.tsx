import type { ReactNode } from "react";
import styles from "./table.module.css";

interface TableProps {
  /** For who hears the page instead of seeing it. */
  readonly caption: string;
  readonly children: ReactNode;
}

/** A table that scrolls sideways where it is too wide; its rows and heads are plain HTML. */
export function Table({ caption, children }: TableProps) {
  return (
    <div className={styles["scroll"]} tabIndex={0} role="region" aria-label={caption}>
      <table className={styles["table"]}>
        <caption className="visually-hidden">{caption}</caption>
        {children}
      </table>
    </div>
  );
}
