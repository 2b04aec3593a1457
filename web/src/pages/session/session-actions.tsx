import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Menu } from "@base-ui/react/menu";
import { useState } from "react";
import { useGateway } from "../../client/gateway.ts";
import { Button } from "../../design/button.tsx";
import { ConfirmDialog } from "../../design/dialog.tsx";
import { Field } from "../../design/field.tsx";
import styles from "./session.module.css";

interface SessionActionsProps {
  readonly id: string;
  readonly title: string;
  readonly running: boolean;
}

const EXPORTS = {
  jsonl: "Export as JSON lines",
  md: "Export as Markdown",
} as const;

/** What can be done with a session as a whole. */
export function SessionActions({ id, title, running }: SessionActionsProps) {
  const [asked, setAsked] = useState<"rename" | "delete">();
  const close = (): void => setAsked(undefined);
  return (
    <>
      <Menu.Root>
        <Menu.Trigger render={<Button />}>Actions</Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={4} className={styles["positioner"]}>
            <Menu.Popup className={styles["menu"]}>
              <Menu.Item className={styles["item"]} onClick={() => setAsked("rename")}>
                Rename
              </Menu.Item>
              {Object.entries(EXPORTS).map(([form, words]) => (
                <Menu.Item
                  key={form}
                  className={styles["item"]}
                  render={
                    <a
                      href={`/dashboard/api/sessions/${encodeURIComponent(id)}/export?form=${form}`}
                      download
                    />
                  }
                >
                  {words}
                </Menu.Item>
              ))}
              <Menu.Item className={styles["item"]} disabled={running} onClick={() => setAsked("delete")}>
                Delete
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {asked === "rename" ? <RenameDialog {...{ id, title }} onClose={close} /> : null}
      {asked === "delete" ? <DeleteDialog {...{ id, title }} onClose={close} /> : null}
    </>
  );
}

interface DialogProps {
  readonly id: string;
  readonly title: string;
  readonly onClose: () => void;
}

function RenameDialog({ id, title, onClose }: DialogProps) {
  const client = useGateway();
  const [text, setText] = useState(title);
  const rename = useMutation({
    mutationFn: () => client.request("session.title", { session_id: id, title: text }),
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      title="Rename the session"
      action="Rename"
      isPending={rename.isPending}
      isReady={text.trim() !== ""}
      error={rename.error}
      onConfirm={() => rename.mutate()}
      onClose={onClose}
    >
      <Field label="Title" value={text} onChange={({ target }) => setText(target.value)} />
    </ConfirmDialog>
  );
}

function DeleteDialog({ id, title, onClose }: DialogProps) {
  const client = useGateway();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => client.request("session.delete", { session_id: id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["sessions"] });
      await navigate({ to: "/sessions" });
    },
  });
  return (
    <ConfirmDialog
      title="Delete this session?"
      action="Delete for good"
      look="danger"
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        “{title}” and its log are gone then, and cannot be brought back. Files that the agent changed stay as
        they are. Export it first to keep a copy.
      </p>
    </ConfirmDialog>
  );
}
