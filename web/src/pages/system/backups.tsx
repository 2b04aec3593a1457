import type { BackupRow } from "../../../../src/dashboard/api/backup-routes.ts";
import { formatBytes } from "../../../../src/shared/text/format.ts";
import { useBackups } from "../../client/backups.ts";
import { Button } from "../../design/button.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago } from "../../design/time.tsx";
import styles from "./system.module.css";

const REASONS: Readonly<Record<BackupRow["reason"], string>> = {
  asked: "Somebody asked",
  update: "Before an update",
  restore: "Before a restore",
};

/** The home as it was: backups, with a way to make, keep and delete them. */
export function Backups() {
  const { list, make, remove } = useBackups();
  return (
    <Panel
      title="Backups"
      flush
      actions={
        <Button disabled={make.isPending} onClick={() => make.mutate()}>
          {make.isPending ? "Backing up …" : "Back up now"}
        </Button>
      }
    >
      <Fault error={make.error ?? remove.error ?? list.error} />
      {list.data?.length === 0 ? (
        <Empty title="No backup yet">
          <p>
            A backup holds sessions, settings with their secrets, memory and skills as they are at one moment.
            It is made while the agent works.
          </p>
        </Empty>
      ) : (
        <>
          <BackupTable rows={list.data ?? []} onRemove={(name) => remove.mutate(name)} />
          <p className={styles["words"]}>
            To bring one back, stop the agent on its machine and run{" "}
            <code>agent backup restore &lt;name&gt;</code>. What is there then is backed up first. Copy the
            folder of a backup to another disk to keep it when this one breaks.
          </p>
        </>
      )}
    </Panel>
  );
}

interface BackupTableProps {
  readonly rows: readonly BackupRow[];
  readonly onRemove: (name: string) => void;
}

function BackupTable({ rows, onRemove }: BackupTableProps) {
  return (
    <Table caption="Backups">
      <TableHead
        columns={[
          "Name",
          "Made",
          "Why",
          "Version",
          { name: "Size", look: "right" },
          { name: "Actions", look: "hidden" },
        ]}
      />
      <tbody>
        {rows.map(({ name, at, reason, version, bytes, path }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
              <p className={styles["path"]}>{path}</p>
            </td>
            <td>
              <Ago at={at} />
            </td>
            <td>{REASONS[reason]}</td>
            <td>{version}</td>
            <td data-align="right">{formatBytes(bytes)}</td>
            <td data-align="right">
              <Confirm
                trigger={
                  <Button look="quiet" aria-label={`Delete the backup ${name}`}>
                    Delete
                  </Button>
                }
                title="Delete this backup?"
                action="Delete"
                onConfirm={() => onRemove(name)}
              >
                <p>{name} cannot be restored afterwards.</p>
              </Confirm>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
