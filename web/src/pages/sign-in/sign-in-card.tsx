import { type ReactNode, useEffect } from "react";
import styles from "./sign-in.module.css";

interface SignInCardProps {
  readonly title: string;
  readonly fault?: string | undefined;
  readonly children: ReactNode;
}

/** The card in the middle that everything about signing in stands on. */
export function SignInCard({ title, fault, children }: SignInCardProps) {
  useEffect(() => {
    document.title = `${title} · Agent`;
  }, [title]);
  return (
    <main className={styles["stage"]}>
      <div className={styles["card"]}>
        <img className={styles["logo"]} src="/icon.svg" alt="" />
        <h1>{title}</h1>
        {fault === undefined ? null : (
          <p className={styles["fault"]} role="alert">
            {fault}
          </p>
        )}
        {children}
      </div>
    </main>
  );
}
