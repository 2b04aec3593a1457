import { Dialog } from "@base-ui/react/dialog";
import { type ReactElement, type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import styles from "./confirm.module.css";

interface ConfirmProps {
  /** The button that asks for it. */
  readonly trigger: ReactElement;
  readonly title: string;
  /** What will be the case afterwards. */
  readonly children: ReactNode;
  /** The verb. */
  readonly action: string;
  readonly onConfirm: () => void;
}

/** A step that cannot be taken back, asked for once more. */
export function Confirm({ trigger, title, children, action, onConfirm }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger render={trigger} />
      <Dialog.Portal>
        <Dialog.Backdrop className={styles["backdrop"]} />
        <Dialog.Popup className={styles["popup"]}>
          <Dialog.Title className={styles["title"]}>{title}</Dialog.Title>
          <Dialog.Description render={<div />} className={styles["text"]}>
            {children}
          </Dialog.Description>
          <div className={styles["row"]}>
            <Dialog.Close render={<Button />}>Cancel</Dialog.Close>
            <Button
              look="danger"
              onClick={() => {
                setOpen(false);
                onConfirm();
              }}
            >
              {action}
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
