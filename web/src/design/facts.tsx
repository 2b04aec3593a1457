import { Fragment, type ReactNode } from "react";
import styles from "./facts.module.css";

/** Names and what they stand for, one line each; what is `undefined` is left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={styles["facts"]}>
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
