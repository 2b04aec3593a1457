import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Result } from "../../../../src/rpc/protocol/methods.ts";
import { useGateway } from "../../client/gateway.ts";
import { ConfirmDialog } from "../../design/dialog.tsx";
import type { TurnTimeline } from "../../session/timeline.ts";
import styles from "./session.module.css";

interface RewindDialogProps {
  readonly id: string;
  readonly turn: TurnTimeline;
  readonly onClose: () => void;
  /** It was done: this is the prompt that was taken back. */
  readonly onDone: (prompt: string) => void;
}

/** Asks before the session goes back to before a turn, and says what would happen to the conversation and the files. */
export function RewindDialog({ id, turn, onClose, onDone }: RewindDialogProps) {
  const client = useGateway();
  const [withFiles, setWithFiles] = useState(true);
  const places = useQuery({
    queryKey: ["rollback", id],
    queryFn: () => client.request("rollback.list", { session_id: id }),
    staleTime: 0,
  });
  const keepsFiles = places.data?.enabled === true;
  const scope = keepsFiles && withFiles ? "both" : "conversation";
  const wish = { session_id: id, hash: turn.turn_id, scope } as const;
  const preview = useQuery({
    queryKey: ["rollback", id, turn.turn_id, scope],
    queryFn: () => client.request("rollback.restore", { ...wish, preview: true }),
    enabled: places.data !== undefined,
    staleTime: 0,
    retry: false,
  });
  const rewind = useMutation({
    mutationFn: async () => {
      const done = await client.request("rollback.restore", wish);
      if (!done.success) throw new Error(done.error ?? "Nothing was changed.");
      return done;
    },
    onSuccess: ({ prompt }) => onDone(prompt ?? ""),
  });
  return (
    <ConfirmDialog
      title="Rewind to before this turn?"
      action="Rewind"
      look="danger"
      isPending={rewind.isPending}
      isReady={preview.data !== undefined}
      error={rewind.error ?? preview.error}
      onConfirm={() => rewind.mutate()}
      onClose={onClose}
    >
      <blockquote className={styles["quote"]}>{turn.text}</blockquote>
      {keepsFiles ? (
        <label className={styles["check"]}>
          <input
            type="checkbox"
            checked={withFiles}
            onChange={({ target }) => setWithFiles(target.checked)}
          />
          Put the files back too
        </label>
      ) : (
        <p>Files stay as they are: they are not kept here (checkpoints.enabled).</p>
      )}
      {preview.data === undefined ? null : <Consequences of={preview.data} />}
    </ConfirmDialog>
  );
}

function Consequences({ of: told }: { readonly of: Result<"rollback.restore"> }) {
  const { history_removed: turns = 0, restored = [], removed = [], conflicts = [], not_undone = [] } = told;
  const back = restored.filter((path) => !removed.includes(path));
  return (
    <>
      <p>
        {turns === 0
          ? "No turn is taken out of the conversation."
          : `${turns} ${turns === 1 ? "turn is" : "turns are"} taken out of the conversation; the log keeps them.`}
      </p>
      <Paths title="Put back" paths={back} />
      <Paths title="Removed, as they were not there before" paths={removed} />
      <Paths
        title="Left as they are, as somebody else changed them"
        paths={conflicts.map(({ path, reason }) => `${path}: ${reason}`)}
      />
      <Paths title="Cannot be taken back" paths={not_undone} />
    </>
  );
}

const SHOWN = 20;

function Paths({ title, paths }: { readonly title: string; readonly paths: readonly string[] }) {
  if (paths.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className={styles["paths"]}>
        {paths.slice(0, SHOWN).map((path) => (
          <li key={path}>{path}</li>
        ))}
        {paths.length > SHOWN ? <li>and {paths.length - SHOWN} more</li> : null}
      </ul>
    </div>
  );
}
