import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { changedFields } from "../../client/changed-fields.ts";
import { type Job, jobPath, jobQuery, useJobChange } from "../../client/jobs.ts";
import { RequestRefused } from "../../client/dashboard-api.ts";
import { Button } from "../../design/button.tsx";
import buttons from "../../design/button.module.css";
import { Fault } from "../../design/fault.tsx";
import { Area, Field } from "../../design/field.tsx";
import { Panel } from "../../design/panel.tsx";
import row from "../../design/row.module.css";
import { Page } from "../../layout/page.tsx";
import { PersonaField } from "../personas/persona-field.tsx";

/** Makes a job. */
export function NewJob() {
  return (
    <Page title="New job" about={<Link to="/jobs">All jobs</Link>}>
      <JobForm />
    </Page>
  );
}

/** Changes a job. */
export function EditJob() {
  const { id } = useParams({ from: "/jobs/$id/edit" });
  const { data: job, error } = useQuery({ ...jobQuery(id), refetchInterval: false });
  return (
    <Page
      title={job === undefined ? "Edit job" : `Edit ${job.name}`}
      about={<Link to="/jobs">All jobs</Link>}
    >
      <Fault error={error} />
      {job === undefined ? null : <JobForm key={job.id} job={job} />}
    </Page>
  );
}

function JobForm({ job: known }: { readonly job?: Job }) {
  // As the form shows it, whatever others change meanwhile.
  const [job] = useState(known);
  const navigate = useNavigate();
  const change = useJobChange((saved) => {
    const id = saved?.id ?? job?.id;
    void navigate(id === undefined ? { to: "/jobs" } : { to: "/jobs/$id", params: { id } });
  });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const body = bodyOf(new FormData(event.currentTarget), job);
    if (job === undefined) change.mutate({ method: "POST", body });
    else change.mutate({ method: "PATCH", path: jobPath(job.id).slice("/jobs".length), body });
  };
  const faultOf = (...names: readonly string[]): string | undefined => {
    const { error } = change;
    const field = error instanceof RequestRefused ? error.field : undefined;
    return names.some((name) => field === name) ? error?.message : undefined;
  };
  return (
    <Panel title={job === undefined ? "What runs, and when" : "Change"}>
      <form className={row["form"]} onSubmit={send}>
        <Field
          label="Schedule"
          name="schedule"
          required
          defaultValue={job === undefined ? "" : scheduleOf(job)}
          hint="Such as: every 30m, weekdays at 9am, 0 9 * * 1-5, in 2h, 2027-01-31 08:00"
          fault={faultOf("schedule")}
        />
        <Area
          label="Prompt"
          name="prompt"
          rows={6}
          defaultValue={job?.prompt}
          hint="What the agent is asked each time. Nobody watches it, so say all that it needs."
          fault={faultOf("prompt")}
        />
        <Field
          label="Name"
          name="name"
          defaultValue={job?.name}
          hint="The beginning of the prompt without one"
          fault={faultOf("name")}
        />
        <Field
          label="Deliver to"
          name="deliver"
          defaultValue={job?.deliver ?? "local"}
          hint="local keeps answers in the agent's home; a chat such as telegram or telegram:<chat>, several with commas"
          fault={faultOf("deliver")}
        />
        <Field
          label="Skills"
          name="skills"
          defaultValue={job?.skills.join(", ")}
          hint="Names, with commas between them"
          fault={faultOf("skills", "skills.0")}
        />
        <Field
          label="Model"
          name="model"
          defaultValue={job?.model ?? ""}
          hint="The default one without it"
          fault={faultOf("model", "provider")}
        />
        <PersonaField
          defaultValue={job?.persona ?? ""}
          hint="The one that answers; that of agent.persona without it, none for none"
          fault={faultOf("persona")}
        />
        <Fault error={change.error} />
        <div className={row["row"]}>
          <Button look="primary" type="submit" disabled={change.isPending}>
            {job === undefined ? "Make the job" : "Save"}
          </Button>
          {job === undefined ? (
            <Link to="/jobs" className={buttons["button"]}>
              Cancel
            </Link>
          ) : (
            <Link to="/jobs/$id" params={{ id: job.id }} className={buttons["button"]}>
              Cancel
            </Link>
          )}
        </div>
      </form>
    </Panel>
  );
}

/** The schedule as it can be typed again. */
function scheduleOf({ schedule }: Job): string {
  switch (schedule.kind) {
    case "cron":
      return schedule.expr;
    case "interval":
      return `every ${schedule.minutes}m`;
    case "once":
      return schedule.run_at;
  }
}

/** What was filled in; of a job that is there only what is other than before. */
function bodyOf(form: FormData, job: Job | undefined): Readonly<Record<string, unknown>> {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  const skills = text("skills")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  const given = {
    schedule: text("schedule"),
    prompt: text("prompt"),
    name: text("name") || undefined,
    deliver: text("deliver") || undefined,
    skills,
    model: text("model") || null,
    persona: text("persona") || null,
  };
  if (job === undefined) return given;
  return changedFields({ ...job, schedule: scheduleOf(job) }, given);
}
