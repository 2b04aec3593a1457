import { type ReactNode, useState } from "react";
import { useFilters } from "./filters.ts";
import styles from "./filter-bar.module.css";

interface FilterBarProps {
  /** What is looked through. */
  readonly label: string;
  /** More filters, each with a label of its own. */
  readonly children?: ReactNode;
}

/** The words by which a list is filtered; they stand in the address bar. */
export function FilterBar({ label, children }: FilterBarProps) {
  const [{ q = "" }, setFilter] = useFilters();
  // The address follows what is typed, a moment later.
  const [typed, setTyped] = useState(q);
  return (
    <search className={styles["bar"]}>
      <input
        type="search"
        className={styles["words"]}
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={({ target: { value } }) => {
          setTyped(value);
          setFilter("q", value);
        }}
      />
      {children}
    </search>
  );
}

interface FilterChoiceProps {
  readonly label: string;
  readonly values: Readonly<Record<string, string>>;
}

/** One of several states by which a list is filtered. */
export function StateFilter({ label, values }: FilterChoiceProps) {
  const [{ state = "" }, setFilter] = useFilters();
  return (
    <select
      className={styles["state"]}
      aria-label={label}
      value={state}
      onChange={({ target: { value } }) => setFilter("state", value)}
    >
      <option value="">{label}: all</option>
      {Object.entries(values).map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}
