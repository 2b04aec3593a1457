import { AlertDialog } from "@base-ui/react/alert-dialog";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import styles from "./dialog.module.css";

interface ConfirmPopupProps {
  readonly title: string;
  /** The words of the button that does it. */
  readonly action: string;
  readonly look?: "primary" | "danger";
  readonly isPending: boolean;
  readonly isReady?: boolean;
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly children: ReactNode;
}

interface ConfirmDialogProps extends ConfirmPopupProps {
  readonly onClose: () => void;
}

/** A question whether to do something, with what it would do. It is there while it is rendered; Escape closes it. */
export function ConfirmDialog({ onClose, ...popup }: ConfirmDialogProps) {
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <ConfirmPopup {...popup} />
    </AlertDialog.Root>
  );
}

/** The question itself, inside the root of a dialog. */
export function ConfirmPopup(props: ConfirmPopupProps) {
  const { title, action, look = "primary", isPending, isReady = true, error, onConfirm } = props;
  return (
    <AlertDialog.Portal>
      <AlertDialog.Backdrop className={styles["backdrop"]} />
      <AlertDialog.Popup
        className={styles["popup"]}
        render={
          <form
            onSubmit={(event) => {
              event.preventDefault();
              // It may stand in another form.
              event.stopPropagation();
              if (isReady && !isPending) onConfirm();
            }}
          />
        }
      >
        <AlertDialog.Title render={<h2 />}>{title}</AlertDialog.Title>
        <div className={styles["body"]}>{props.children}</div>
        {error === null ? null : (
          <p className={styles["fault"]} role="alert">
            {error.message}
          </p>
        )}
        <div className={styles["actions"]}>
          <AlertDialog.Close render={<Button />}>Cancel</AlertDialog.Close>
          <Button look={look} type="submit" disabled={isPending || !isReady}>
            {action}
          </Button>
        </div>
      </AlertDialog.Popup>
    </AlertDialog.Portal>
  );
}
