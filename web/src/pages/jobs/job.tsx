import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type Job, jobPath, jobQuery, useJobChange } from "../../client/jobs.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { Confirm } from "../../design/confirm.tsx";
import { Facts } from "../../design/facts.tsx";
import { Fault } from "../../design/fault.tsx";
import { Empty, Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Ago, Moment, secondsOf } from "../../design/time.tsx";
import { Page } from "../../layout/page.tsx";
import { JobRuns } from "./job-runs.tsx";
import { JobState } from "./job-state.tsx";
import styles from "./jobs.module.css";

/** One job: what it is, when it runs next, and what became of its runs. */
export function JobPage() {
  const { id } = useParams({ from: "/jobs/$id" });
  const { data: job, error } = useQuery(jobQuery(id));
  if (job === undefined)
    return (
      <Page title="Job" about={<Link to="/jobs">All jobs</Link>}>
        <Fault error={error} />
      </Page>
    );
  return (
    <Page title={job.name} about={<Link to="/jobs">All jobs</Link>} actions={<Actions job={job} />}>
      <div className={row["columns"]}>
        <Definition job={job} />
        <NextRuns job={job} />
      </div>
      <JobRuns id={id} />
    </Page>
  );
}

function Actions({ job }: { readonly job: Job }) {
  const navigate = useNavigate();
  const change = useJobChange();
  const remove = useJobChange(() => void navigate({ to: "/jobs" }));
  const path = jobPath(job.id).slice("/jobs".length);
  const post = (verb: string): void => change.mutate({ method: "POST", path: `${path}/${verb}` });
  const isOver = job.state === "completed" || job.state === "error";
  return (
    <div className={row["row"]}>
      <Fault error={change.error ?? remove.error} />
      <Button look="primary" disabled={change.isPending} onClick={() => post("run")}>
        Run now
      </Button>
      {isOver ? null : (
        <Button disabled={change.isPending} onClick={() => post(job.state === "paused" ? "resume" : "pause")}>
          {job.state === "paused" ? "Resume" : "Pause"}
        </Button>
      )}
      <Link to="/jobs/$id/edit" params={{ id: job.id }} className={buttons["button"]}>
        Edit
      </Link>
      <Confirm
        trigger={<Button look="danger">Delete</Button>}
        title={`Delete ${job.name}?`}
        action="Delete"
        onConfirm={() => remove.mutate({ method: "DELETE", path })}
      >
        A run that is under way is stopped. The sessions of its runs stay.
      </Confirm>
    </div>
  );
}

function Definition({ job }: { readonly job: Job }) {
  const model = [job.provider, job.model].filter((each) => each !== null).join(":");
  return (
    <Panel title="Definition">
      <Facts
        facts={[
          ["State", <JobState key="state" state={job.state} />],
          ["Why paused", job.paused_reason ?? undefined],
          ["Schedule", job.schedule_display],
          ["Prompt", job.prompt === "" ? undefined : job.prompt],
          ["Skills", job.skills.length === 0 ? undefined : job.skills.join(", ")],
          ["Delivers to", job.deliver],
          ["Model", model === "" ? "The default one" : model],
          ["Folder", job.workdir ?? undefined],
          ["Runs", runsText(job.repeat)],
          ["Budget of a run", budgetText(job.budget)],
          ["Last error", job.last_error ?? undefined],
          ["Last delivery", job.last_delivery_error ?? undefined],
        ]}
      />
    </Panel>
  );
}

const runsText = ({ times, completed }: Job["repeat"]): string =>
  times === null ? `${completed} so far` : `${completed} of ${times}`;

function budgetText(budget: Job["budget"]): string | undefined {
  if (budget === undefined) return undefined;
  const { tokens, cost } = budget;
  const parts = [tokens === undefined ? [] : [`${tokens} tokens`], cost === undefined ? [] : [`$${cost}`]];
  return parts.flat().join(", ");
}

function NextRuns({ job }: { readonly job: Job }) {
  const dues = job.next_runs ?? [];
  return (
    <Panel title="Next runs">
      {dues.length === 0 ? (
        <Empty title="No run is due">
          <p>
            {job.state === "paused" ? "Resume the job, and its next times show here." : "The job is over."}
          </p>
        </Empty>
      ) : (
        <ol className={styles["dues"]}>
          {dues.map((due) => (
            <li key={due}>
              <Moment at={secondsOf(due)} />
              <span className={row["soft"]}>
                <Ago at={secondsOf(due)} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
