import type { ButtonHTMLAttributes, ReactNode } from "react";
import { classes } from "../design/classes.ts";
import styles from "./app.module.css";

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string;
  readonly isPrimary?: boolean;
}

/** A button of a thumb's size, with a picture. */
export function IconButton({ label, isPrimary = false, ...more }: IconButtonProps) {
  return (
    <button
      type="button"
      {...more}
      aria-label={label}
      title={label}
      className={classes(styles["icon"], isPrimary && styles["iconPrimary"])}
    />
  );
}

const Icon = ({ children }: { readonly children: ReactNode }) => (
  <svg
    width="22"
    height="22"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.9"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {children}
  </svg>
);

export const BackIcon = () => (
  <Icon>
    <path d="M15 5l-7 7 7 7" />
  </Icon>
);

export const DownIcon = () => (
  <Icon>
    <path d="M12 5v14M6 13l6 6 6-6" />
  </Icon>
);

export const PencilIcon = () => (
  <Icon>
    <path d="M4 20l1-4L16 5l3 3L8 19zM14 7l3 3" />
  </Icon>
);

export const PersonIcon = () => (
  <Icon>
    <circle cx="12" cy="8" r="3.5" />
    <path d="M5 20c1-4 4-5.500 7-5.500s6 1.500 7 5.500" />
  </Icon>
);

export const PictureIcon = () => (
  <Icon>
    <rect x="4" y="5" width="16" height="14" rx="2.500" />
    <path d="M5 17l4.500-4.500 3 3L16 12l4 4" />
    <circle cx="9" cy="9.500" r="1.200" />
  </Icon>
);

export const SendIcon = () => (
  <Icon>
    <path d="M12 19V5M6 11l6-6 6 6" />
  </Icon>
);

export const StopIcon = () => (
  <Icon>
    <rect x="7" y="7" width="10" height="10" rx="1.500" fill="currentColor" />
  </Icon>
);

export const MoreIcon = () => (
  <Icon>
    <circle cx="5.500" cy="12" r="1" />
    <circle cx="12" cy="12" r="1" />
    <circle cx="18.500" cy="12" r="1" />
  </Icon>
);
