import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import styles from "./badge.module.css";

/** The meaning of a state, which gives it its colour; its words say it too. */
export type Tone = "plain" | "good" | "warn" | "bad" | "busy";

/** A state in one or two words. */
export function Badge({ tone = "plain", children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={classes(styles["badge"], tone !== "plain" && styles[tone])}>{children}</span>;
}
