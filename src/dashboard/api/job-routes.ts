import { z } from "zod";
import {
  JobDraftBody,
  JobPatchBody,
  JobRecord,
  JobRunBody,
  JobRunRecord,
} from "../../automation/jobs/index.ts";
import { route } from "../../http/server/api-route.ts";
import { readJsonObject } from "../../http/server/json-body.ts";
import type { HttpContext } from "../../http/server/context.ts";
import { type DashboardApi, type DashboardRoute, Done, noteAt, PAGE_BODY, reads } from "./dashboard-api.ts";
import { hasWords, PAGE_QUERY, pageOfNames, wantedPage, type WantedPage } from "./list-page.ts";

type Body = Readonly<Record<string, unknown>>;

/** The jobs of a home. All but `list` and `create` throw HostError `not_found`; changes `invalid_params` and `conflict`. */
export interface JobPort {
  /** Oldest first, the inactive ones too, each with its newest run. */
  list(): Promise<readonly JobRecord[]>;
  /** With its next due times. */
  get(id: string): Promise<JobRecord>;
  /** The newest first. */
  runs(
    id: string,
    page: WantedPage,
  ): Promise<{ readonly data: readonly JobRunRecord[]; readonly next?: number }>;
  create(body: Body): Promise<JobRecord>;
  change(id: string, body: Body): Promise<JobRecord>;
  remove(id: string): Promise<void>;
  pause(id: string): Promise<JobRecord>;
  resume(id: string): Promise<JobRecord>;
  /** Begins a run at once, outside the schedule. */
  run(id: string, body: Body): Promise<JobRecord>;
}

/** A page of the jobs. */
export const JobPageWire = z
  .object({ data: z.array(JobRecord), next: z.string().exactOptional() })
  .meta({ title: "JobPage" });
/** One job. */
export const JobWire = z.object({ job: JobRecord }).meta({ title: "JobOfPage" });
/** A page of a job's runs. */
export const JobRunPageWire = z
  .object({ data: z.array(JobRunRecord), next: z.number().exactOptional() })
  .meta({ title: "JobRunPage" });

const ALL = "/dashboard/api/jobs";
const ONE = `${ALL}/{job_id}` as const;

/** Declares the routes of the page of jobs. */
export const jobPageRoutes = (jobs: JobPort): readonly DashboardRoute[] => [
  reads(
    `GET ${ALL}`,
    async (c) => {
      const { q = "", state = "" } = c.req.query();
      const wanted = (await jobs.list()).filter(
        (job) =>
          (state === "" || job.state === state) &&
          hasWords(q, [job.name, job.prompt, job.schedule_display, job.deliver]),
      );
      return pageOfNames(c, wanted, (job) => `${job.created_at ?? ""} ${job.id}`);
    },
    {
      id: "listDashboardJobs",
      summary: "Jobs, oldest first; `q` filters by name, prompt and schedule",
      answer: JobPageWire,
      query: [...PAGE_QUERY, "q", "state"],
    },
  ),
  reads(`GET ${ONE}`, async (_c, _api, id) => ({ job: await jobs.get(id) }), {
    id: "getDashboardJob",
    summary: "A job with its next ten due times",
    answer: JobWire,
  }),
  reads(`GET ${ONE}/runs`, (c, _api, id) => jobs.runs(id, wantedPage(c)), {
    id: "listDashboardJobRuns",
    summary: "The runs of a job, newest first, missed due times among them",
    answer: JobRunPageWire,
    query: [...PAGE_QUERY],
  }),
  ...changes(jobs),
];

const changes = (jobs: JobPort): readonly DashboardRoute[] => [
  route(
    `POST ${ALL}`,
    async (c, api: DashboardApi) => {
      const job = await jobs.create(await jsonOf(c));
      await noteAt(c, api, { action: "job.created", subject: job.id, after: shownIn(job) });
      return c.json({ job });
    },
    { id: "createDashboardJob", summary: "Make a job", body: JobDraftBody, answer: JobWire },
  ),
  route(
    `PATCH ${ONE}`,
    async (c, api: DashboardApi, id) => {
      const before = await jobs.get(id);
      const job = await jobs.change(id, await jsonOf(c));
      const noted = { before: shownIn(before), after: shownIn(job) };
      await noteAt(c, api, { action: "job.changed", subject: id, ...noted });
      return c.json({ job });
    },
    { id: "changeDashboardJob", summary: "Change a job", body: JobPatchBody, answer: JobWire },
  ),
  route(
    `DELETE ${ONE}`,
    async (c, api: DashboardApi, id) => {
      const before = await jobs.get(id);
      await jobs.remove(id);
      await noteAt(c, api, { action: "job.removed", subject: id, before: shownIn(before) });
      return c.json({ ok: true });
    },
    { id: "removeDashboardJob", summary: "Remove a job and stop its run", answer: Done },
  ),
  switches(jobs, "pause", "Let due times pass"),
  switches(jobs, "resume", "Go on with the next due time"),
  route(
    `POST ${ONE}/run`,
    async (c, api: DashboardApi, id) => {
      const job = await jobs.run(id, await jsonOf(c));
      await noteAt(c, api, { action: "job.run", subject: id });
      return c.json({ job });
    },
    { id: "runDashboardJob", summary: "Run a job now", body: JobRunBody, answer: JobWire },
  ),
];

const switches = (jobs: JobPort, verb: "pause" | "resume", summary: string): DashboardRoute =>
  route(
    `POST ${ONE}/${verb}`,
    async (c, api: DashboardApi, id) => {
      const before = await jobs.get(id);
      const job = await jobs[verb](id);
      const noted = { before: { state: before.state }, after: { state: job.state } };
      await noteAt(c, api, { action: `job.${verb}d`, subject: id, ...noted });
      return c.json({ job });
    },
    { id: `${verb}DashboardJob`, summary, answer: JobWire },
  );

const jsonOf = (c: HttpContext): Promise<Body> => readJsonObject(c, PAGE_BODY, {});

/** The part of a job that somebody chose. */
const shownIn = ({
  name,
  prompt,
  skills,
  schedule_display: schedule,
  deliver,
  state,
  provider,
  model,
  repeat,
  persona,
  budget,
}: JobRecord) => ({
  name,
  prompt,
  skills,
  schedule,
  deliver,
  state,
  provider,
  model,
  repeat,
  persona,
  budget,
});
