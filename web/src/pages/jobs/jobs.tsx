import { Link } from "@tanstack/react-router";
import type { Job } from "../../client/jobs.ts";
import { useListPages } from "../../client/list-pages.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { classes } from "../../design/classes.ts";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import { Table, TableHead } from "../../design/table.tsx";
import { Ago, secondsOf } from "../../design/time.tsx";
import { FilterBar, ChoiceFilter } from "../../layout/filter-bar.tsx";
import { useFilters } from "../../layout/filters.ts";
import { Page } from "../../layout/page.tsx";
import { JOB_STATES, JobState, RunState } from "./job-state.tsx";

/** All jobs of the home. */
export function Jobs() {
  const [{ q, state }] = useFilters();
  const { entries, more, error } = useListPages<Job>("/jobs", { q, state });
  const isFiltered = q !== undefined || state !== undefined;
  return (
    <Page
      title="Jobs"
      about="Prompts that run on a schedule, each run in a session of its own."
      actions={
        <Link to="/jobs/new" className={classes(buttons["button"], buttons["primary"])}>
          New job
        </Link>
      }
    >
      <FilterBar label="Filter jobs">
        <ChoiceFilter label="State" values={JOB_STATES} />
      </FilterBar>
      <Fault error={error} />
      <Panel
        title="Jobs"
        flush
        actions={more === undefined ? undefined : <Button onClick={more}>Show more</Button>}
      >
        {entries === undefined ? null : entries.length > 0 ? (
          <JobTable jobs={entries} />
        ) : isFiltered ? (
          <Empty title="No job is like that">
            <p>Take words out of the filter, or choose another state.</p>
          </Empty>
        ) : (
          <Empty title="No job yet">
            <p>
              Make one with <Link to="/jobs/new">New job</Link>, with <code>agent jobs create</code>, or ask
              the agent for it in a conversation.
            </p>
          </Empty>
        )}
      </Panel>
    </Page>
  );
}

function JobTable({ jobs }: { readonly jobs: readonly Job[] }) {
  return (
    <Table caption="Jobs">
      <TableHead columns={["Job", "State", "Schedule", "Next run", "Last run", "Delivers to"]} />
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id}>
            <td>
              <Link to="/jobs/$id" params={{ id: job.id }}>
                {job.name}
              </Link>
            </td>
            <td>
              <JobState state={job.state} />
            </td>
            <td>{job.schedule_display}</td>
            <td>{job.enabled && job.next_run_at !== null ? <Ago at={secondsOf(job.next_run_at)} /> : "–"}</td>
            <td>
              <LastRun job={job} />
            </td>
            <td>{job.deliver}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function LastRun({ job: { latest_execution: run } }: { readonly job: Job }) {
  if (run == null) return "Never";
  return (
    <>
      <RunState status={run.status} /> <Ago at={secondsOf(run.due_at)} />
    </>
  );
}
