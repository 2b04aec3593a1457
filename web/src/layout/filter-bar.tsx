import { type ReactNode, useState } from "react";
import { type Filters, useFilters } from "./filters.ts";
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

interface ChoiceProps {
  readonly label: string;
  readonly values: Readonly<Record<string, string>>;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What stands for no choice. */
  readonly none?: string;
}

/** One of several values. */
export function Choice({ label, values, value, onChange, none }: ChoiceProps) {
  return (
    <select
      className={styles["state"]}
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {none === undefined ? null : <option value="">{none}</option>}
      {Object.entries(values).map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  );
}

interface ChoiceFilterProps extends Pick<ChoiceProps, "label" | "values"> {
  /** Its name in the address; `state` by default. */
  readonly name?: Exclude<keyof Filters, "q">;
}

/** One of several values by which a list is filtered. */
export function ChoiceFilter({ label, name = "state", values }: ChoiceFilterProps) {
  const [{ [name]: chosen = "" }, setFilter] = useFilters();
  const change = (value: string): void => setFilter(name, value);
  return <Choice {...{ label, values }} value={chosen} onChange={change} none={`${label}: all`} />;
}
