import { Dialog } from "@base-ui/react/dialog";
import { Outlet } from "@tanstack/react-router";
import { useState } from "react";
import { useIsConnected } from "../client/gateway.ts";
import { useOpenQuestions } from "../client/open-questions.ts";
import { useSignOut } from "../client/sign-in.ts";
import { Button } from "../design/button.tsx";
import { Navigation } from "./navigation.tsx";
import { SchemeButton } from "./scheme-button.tsx";
import styles from "./shell.module.css";

/** What stands around every page. */
export function Shell() {
  const isConnected = useIsConnected();
  const { data: questions = [] } = useOpenQuestions();
  const [isOpen, setOpen] = useState(false);
  const counts = { "/approvals": questions.length };
  return (
    <div className={styles["shell"]}>
      <a className={styles["skip"]} href="#main">
        Skip to the page
      </a>
      <aside className={styles["side"]}>
        <div className={styles["brand"]}>
          <img src="/icon.svg" alt="" />
          Agent
        </div>
        <Navigation counts={counts} />
        <Dialog.Root open={isOpen} onOpenChange={setOpen}>
          <Dialog.Trigger render={<Button className={styles["menu"]} />}>Menu</Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Backdrop className={styles["backdrop"]} />
            <Dialog.Popup className={styles["sheet"]} aria-label="Pages">
              <Navigation counts={counts} onGo={() => setOpen(false)} />
              <Foot />
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
        <div className={styles["foot"]}>
          {isConnected ? null : (
            <p className={styles["offline"]} role="status">
              Connecting to the agent …
            </p>
          )}
          <Foot />
        </div>
      </aside>
      <Outlet />
    </div>
  );
}

function Foot() {
  const signOut = useSignOut();
  return (
    <>
      <SchemeButton />
      <Button look="quiet" onClick={() => signOut.mutate()}>
        Sign out
      </Button>
    </>
  );
}
