import styles from "./personas.module.css";

interface NameChoiceProps {
  readonly label: string;
  readonly known: readonly string[];
  /** `undefined`: all that there are. */
  readonly chosen: readonly string[] | undefined;
  readonly onChange: (names: readonly string[] | undefined) => void;
  readonly fault?: string | undefined;
}

/** All that there are, or only some of them by name. */
export function NameChoice({ label, known, chosen, onChange, fault }: NameChoiceProps) {
  // What was chosen stays a choice when it is gone.
  const names = [...new Set([...known, ...(chosen ?? [])])];
  return (
    <fieldset className={styles["choices"]}>
      <legend>{label}</legend>
      <label className={styles["choice"]}>
        <input
          type="checkbox"
          checked={chosen === undefined}
          onChange={({ target }) => onChange(target.checked ? undefined : [])}
        />
        All that its place has
      </label>
      {chosen === undefined ? null : (
        <div className={styles["names"]}>
          {names.map((name) => (
            <label key={name} className={styles["choice"]}>
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={({ target }) =>
                  onChange(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
                }
              />
              {name}
              {known.includes(name) ? null : <em>(not there)</em>}
            </label>
          ))}
          {names.length === 0 ? <p className={styles["words"]}>There are none to choose from.</p> : null}
        </div>
      )}
      {fault === undefined ? null : (
        <p role="alert" className={styles["fault"]}>
          {fault}
        </p>
      )}
    </fieldset>
  );
}
