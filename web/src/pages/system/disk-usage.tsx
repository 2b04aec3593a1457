import type { z } from "zod";
import type { DiskPart, DiskState } from "../../../../src/dashboard/api/system-routes.ts";
import { formatBytes } from "../../../../src/shared/text/format.ts";
import { useDisk } from "../../client/system.ts";
import { Badge } from "../../design/badge.tsx";
import { Fault } from "../../design/fault.tsx";
import { Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import styles from "./system.module.css";

const WORDS: Readonly<Record<DiskPart, readonly [name: string, about: string]>> = {
  database: ["Database", "Sessions, jobs, deliveries, and all other records"],
  search_index: ["Search index", "Made from the database; it can be deleted at any time"],
  files: ["Files of sessions", "Images and long outputs"],
  checkpoints: ["Checkpoints", "Files of workspaces as they were before each turn"],
  logs: ["Logs", "At most 10 MB for each file"],
  profiles: ["Profiles", "Homes of other profiles"],
  versions: ["Versions", "Programs that an update installed"],
  backups: ["Backups", "What they share with the files of sessions counts there"],
  other: ["Other", "Settings, memory, skills, caches"],
};

/** What takes how much of the disk. */
export function DiskUsage() {
  const { data, error } = useDisk();
  return (
    <Panel title="Disk" flush actions={data === undefined ? undefined : <Free {...data} />}>
      <Fault error={error} />
      {data?.low === true ? (
        <p className={styles["note"]} role="alert">
          Little space is left. Remove backups or old sessions, or move the home to a larger disk: on a full
          one no new work is accepted.
        </p>
      ) : null}
      <Table caption="The home on the disk">
        <TableHead
          columns={["Part", { name: "Size", look: "right" }, { name: "Share", look: "hidden" }, "What it is"]}
        />
        <tbody>{data === undefined ? null : <Parts {...data} />}</tbody>
      </Table>
    </Panel>
  );
}

type Disk = z.output<typeof DiskState>;

function Parts({ parts }: Disk) {
  const shown = parts.filter((each) => each.bytes > 0).toSorted((one, other) => other.bytes - one.bytes);
  const all = shown.reduce((sum, each) => sum + each.bytes, 0);
  return (
    <>
      {shown.map((each) => (
        <tr key={each.part}>
          <td>{WORDS[each.part][0]}</td>
          <td data-align="right">{formatBytes(each.bytes)}</td>
          <td className={styles["share"]}>
            <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
              <rect
                className={styles["bar"]}
                width={Math.max(1, (each.bytes / all) * 100)}
                height="6"
                rx="1"
              />
            </svg>
          </td>
          <td className={styles["soft"]}>{WORDS[each.part][1]}</td>
        </tr>
      ))}
      <tr>
        <td>All</td>
        <td data-align="right">{formatBytes(all)}</td>
        <td />
        <td />
      </tr>
    </>
  );
}

function Free({ disk, low }: Disk) {
  if (disk === undefined) return null;
  return (
    <Badge tone={low ? "bad" : "good"}>
      {formatBytes(disk.free)} of {formatBytes(disk.total)} free
    </Badge>
  );
}
