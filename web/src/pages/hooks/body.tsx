import styles from "./hooks.module.css";

/** What was sent or received; JSON with its parts on lines of their own. */
export const Body = ({ text }: { readonly text: string }) => (
  <pre className={styles["code"]} tabIndex={0}>
    <code>{laidOut(text)}</code>
  </pre>
);

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
