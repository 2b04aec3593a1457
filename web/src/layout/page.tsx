import { type ReactNode, useEffect } from "react";
import { classes } from "../design/classes.ts";
import styles from "./page.module.css";

interface PageProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** One page: its title, also in the browser's tab, and what one can do there. */
export function Page({ title, about, actions, wide = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Agent`;
  }, [title]);
  return (
    <main id="main" tabIndex={-1} className={classes(styles["page"], wide && styles["wide"])}>
      <header className={styles["head"]}>
        <div>
          <h1>{title}</h1>
          {about === undefined ? null : <p>{about}</p>}
        </div>
        {actions}
      </header>
      {children}
    </main>
  );
}
