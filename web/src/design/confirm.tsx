import { AlertDialog } from "@base-ui/react/alert-dialog";
import { type ReactElement, type ReactNode, useState } from "react";
import { ConfirmPopup } from "./dialog.tsx";

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
  const confirm = (): void => {
    setOpen(false);
    onConfirm();
  };
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={setOpen}>
      <AlertDialog.Trigger render={trigger} />
      <ConfirmPopup
        title={title}
        action={action}
        look="danger"
        isPending={false}
        error={null}
        onConfirm={confirm}
      >
        {children}
      </ConfirmPopup>
    </AlertDialog.Root>
  );
}
