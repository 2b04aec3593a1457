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

/** A column's head: its name, over figures (`right`), or only for who hears the page (`hidden`). */
type Column = string | { readonly name: string; readonly look: "right" | "hidden" };

/** The heads of a table's columns. */
export function TableHead({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const { name, look } = typeof column === "string" ? { name: column, look: undefined } : column;
          return (
            <th key={name} scope="col" data-align={look === "right" ? look : undefined}>
              {look === "hidden" ? <span className="visually-hidden">{name}</span> : name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
