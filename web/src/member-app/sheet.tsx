import { type ReactNode, useEffect, useRef } from "react";
import { classes } from "../design/classes.ts";
import styles from "./sheet.module.css";

interface SheetProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Over the whole screen, for a picture. */
  readonly isWhole?: boolean;
  readonly children: ReactNode;
}

/** A sheet over the screen: Escape, the way back of a phone and a touch beside it close it. */
export function Sheet({ title, onClose, isWhole = false, children }: SheetProps) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = place;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog
      ref={place}
      aria-label={title}
      className={classes(styles["sheet"], isWhole && styles["whole"])}
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        // Only what is beside its content is the dialog itself.
        if (target === currentTarget) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
