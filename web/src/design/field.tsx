import { type InputHTMLAttributes, type ReactNode, useId } from "react";
import styles from "./field.module.css";

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with what was typed. */
  readonly fault?: string | undefined;
}

/** An input with its label, its hint and what is wrong with it. */
export function Field({ label, hint, fault, ...input }: FieldProps) {
  const id = useId();
  const said = [
    hint === undefined ? undefined : `${id}-hint`,
    fault === undefined ? undefined : `${id}-fault`,
  ];
  const describedBy = said.filter((each) => each !== undefined).join(" ");
  return (
    <div className={styles["field"]}>
      <label className={styles["label"]} htmlFor={id}>
        {label}
      </label>
      <input
        {...input}
        id={id}
        className={styles["input"]}
        aria-invalid={fault !== undefined}
        {...(describedBy === "" ? {} : { "aria-describedby": describedBy })}
      />
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className={styles["hint"]}>
          {hint}
        </p>
      )}
      {fault === undefined ? null : (
        <p id={`${id}-fault`} className={styles["fault"]} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
