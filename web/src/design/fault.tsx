import styles from "./field.module.css";

/** What went wrong with something that was asked for; nothing when nothing did. */
export function Fault({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <p className={styles["fault"]} role="alert">
      {error.message}
    </p>
  );
}
