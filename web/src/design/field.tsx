import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import styles from "./field.module.css";

interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with what was typed. */
  readonly fault?: string | undefined;
}

type Described = ReturnType<typeof describedParts>;

const describedParts = (id: string, { hint, fault }: Labelled) => {
  const said = [
    hint === undefined ? undefined : `${id}-hint`,
    fault === undefined ? undefined : `${id}-fault`,
  ];
  const describedBy = said.filter((each) => each !== undefined).join(" ");
  return {
    id,
    className: styles["input"],
    "aria-invalid": fault !== undefined,
    ...(describedBy === "" ? {} : { "aria-describedby": describedBy }),
  };
};

/** What stands around something that is filled in: its label, its hint and what is wrong with it. */
function Frame({
  label,
  hint,
  fault,
  children,
}: Labelled & { readonly children: (parts: Described) => ReactNode }) {
  const id = useId();
  return (
    <div className={styles["field"]}>
      <label className={styles["label"]} htmlFor={id}>
        {label}
      </label>
      {children(describedParts(id, { label, hint, fault }))}
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

/** An input with its label, its hint and what is wrong with it. */
export function Field({ label, hint, fault, ...input }: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  return <Frame {...{ label, hint, fault }}>{(parts) => <input {...input} {...parts} />}</Frame>;
}

/** The same for text of several lines. */
export function Area({
  label,
  hint,
  fault,
  ...area
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <Frame {...{ label, hint, fault }}>{(parts) => <textarea rows={4} {...area} {...parts} />}</Frame>;
}

interface SelectProps extends Labelled, SelectHTMLAttributes<HTMLSelectElement> {
  /** The words of each value. */
  readonly values: Readonly<Record<string, string>>;
}

/** The same for one of several values. */
export function Select({ label, hint, fault, values, ...select }: SelectProps) {
  return (
    <Frame {...{ label, hint, fault }}>
      {(parts) => (
        <select {...select} {...parts}>
          {Object.entries(values).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Frame>
  );
}
