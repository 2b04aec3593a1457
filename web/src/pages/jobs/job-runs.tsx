import { Link } from "@tanstack/react-router";
import { jobPath, type JobRun } from "../../client/jobs.ts";
import { useListPages } from "../../client/list-pages.ts";
import { Button } from "../../design/button.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago, secondsOf } from "../../design/time.tsx";
import { RunState } from "./job-state.tsx";
import styles from "./jobs.module.css";

/** The runs of a job, the newest first; each leads to its transcript. */
export function JobRuns({ id }: { readonly id: string }) {
  const { entries, more } = useListPages<JobRun>(`${jobPath(id)}/runs`);
  return (
    <Panel
      title="Runs"
      flush
      actions={more === undefined ? undefined : <Button onClick={more}>Show older</Button>}
    >
      {entries?.length === 0 ? (
        <Empty title="No run yet">
          <p>Jobs run while the gateway or this dashboard runs. Run now does not wait for the schedule.</p>
        </Empty>
      ) : (
        <Table caption="Runs">
          <TableHead
            columns={["Due", "Outcome", { name: "Took", look: "right" }, "What it said", "Transcript"]}
          />
          <tbody>
            {(entries ?? []).map((run) => (
              <tr key={run.id}>
                <td>
                  <Ago at={secondsOf(run.due_at)} />
                </td>
                <td>
                  <RunState status={run.status} />
                </td>
                <td data-align="right">{tookText(run)}</td>
                <td>
                  <p className={styles["output"]} title={said(run)}>
                    {said(run)}
                  </p>
                </td>
                <td>
                  {run.session_id === undefined ? (
                    "–"
                  ) : (
                    <Link to="/sessions/$id" params={{ id: run.session_id }}>
                      Open
                    </Link>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Panel>
  );
}

function tookText({ started_at: from, ended_at: to }: JobRun): string {
  if (from === undefined || to === undefined) return "–";
  const seconds = secondsOf(to) - secondsOf(from);
  return seconds < 100 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}

function said({ missed, error, reason, output }: JobRun): string {
  const times = missed === undefined ? "" : `${missed.count}${missed.more ? " or more" : ""} due times: `;
  return `${times}${error ?? reason ?? output ?? ""}`;
}
