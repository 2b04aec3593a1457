import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "react";
import { classes } from "./classes.ts";
import styles from "./button.module.css";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: "plain" | "primary" | "danger" | "quiet";
}

/** A button; it sends a form only where it says so. */
export function Button({ look = "plain", className, type = "button", ...more }: ButtonProps) {
  return (
    <button
      {...more}
      type={type}
      className={classes(styles["button"], look !== "plain" && styles[look], className)}
    />
  );
}

/** A link out of the pages that looks like a button. */
export function ButtonLink(attributes: AnchorHTMLAttributes<HTMLAnchorElement>) {
  return <a {...attributes} className={styles["button"]} />;
}
