import { z } from "zod";
import { defined } from "../../../shared/json/defined.ts";
import { type ApiRoute, type Operation, route } from "../../server/api-route.ts";
import type { HttpContext } from "../../server/context.ts";
import { switchOf } from "../../server/decode.ts";
import { HttpError, toHttpError } from "../../server/http-error.ts";
import { type JsonBody, readJsonObject } from "../../server/json-body.ts";
import type { ApiContext } from "../../turns/api-context.ts";

type JobRecord = Readonly<Record<string, unknown>> & { readonly enabled: boolean };

/**
 * The jobs of a home, in the words of the wire. All but `list` throw HostError `not_found` for a job that does not
 * exist, and `invalid_params` or `conflict` with the reason.
 */
export interface JobService {
  /** The schemas of requests and answers, for the document that describes the API. */
  readonly shapes: {
    readonly draft: z.ZodType;
    readonly patch: z.ZodType;
    readonly run: z.ZodType;
    readonly record: z.ZodType;
  };
  /** Oldest first, the inactive ones too. */
  list(): Promise<readonly JobRecord[]>;
  create(body: JsonBody): Promise<JobRecord>;
  get(id: string): Promise<JobRecord>;
  change(id: string, body: JsonBody): Promise<JobRecord>;
  remove(id: string): Promise<void>;
  pause(id: string): Promise<JobRecord>;
  resume(id: string): Promise<JobRecord>;
  /** Begins a run at once, outside the schedule. */
  run(id: string, body: JsonBody): Promise<JobRecord>;
}

const ONE = "/api/jobs/{job_id}";

/**
 * Declares the routes of jobs. Their errors are `{"error": "<text>"}`, other than everywhere else. Without a scheduler they
 * answer only that there is none, and are not listed.
 */
export function jobRoutes(jobs: JobService | undefined): readonly ApiRoute<ApiContext>[] {
  const routes = allRoutes(jobs);
  return jobs === undefined ? routes.map(({ endpoint: _unlisted, ...each }) => each) : routes;
}

function allRoutes(jobs: JobService | undefined): readonly ApiRoute<ApiContext>[] {
  const shapes = jobs?.shapes;
  const { answer, all, gone } = answersOf(shapes?.record ?? z.looseObject({}));
  const jobRoute = (address: Address, act: Act, operation: Operation): ApiRoute<ApiContext> =>
    route(address, (c, api, id) => answerJob({ c, api, id }, jobs, act), {
      answer,
      ...operation,
      shortErrors: true,
    });
  return [
    jobRoute("GET /api/jobs", list, {
      id: "listJobs",
      summary: "List jobs",
      endpoint: "jobs",
      query: ["include_disabled"],
      answer: all,
    }),
    jobRoute("POST /api/jobs", create, {
      id: "createJob",
      summary: "Make a job",
      endpoint: "job_create",
      ...defined({ body: shapes?.draft }),
    }),
    jobRoute(`GET ${ONE}`, one("get"), { id: "getJob", summary: "A job with its last run", endpoint: "job" }),
    jobRoute(`PATCH ${ONE}`, change, {
      id: "patchJob",
      summary: "Change a job",
      endpoint: "job_update",
      ...defined({ body: shapes?.patch }),
    }),
    jobRoute(`DELETE ${ONE}`, remove, {
      id: "deleteJob",
      summary: "Remove a job and stop its run",
      endpoint: "job_delete",
      answer: gone,
    }),
    jobRoute(`POST ${ONE}/pause`, one("pause"), {
      id: "pauseJob",
      summary: "Let due times pass",
      endpoint: "job_pause",
    }),
    jobRoute(`POST ${ONE}/resume`, one("resume"), {
      id: "resumeJob",
      summary: "Go on with the next due time",
      endpoint: "job_resume",
    }),
    jobRoute(`POST ${ONE}/run`, run, {
      id: "runJob",
      summary: "Run a job now",
      endpoint: "job_run",
      bodyOptional: true,
      ...defined({ body: shapes?.run }),
    }),
  ];
}

const answersOf = (record: z.ZodType) => ({
  answer: z.object({ job: record }).meta({ title: "JobAnswer" }),
  all: z.object({ jobs: z.array(record) }).meta({ title: "JobList" }),
  gone: z.object({ ok: z.literal(true) }).meta({ title: "JobRemoved" }),
});

type Address = Parameters<typeof route>[0];

interface Call {
  readonly c: HttpContext;
  readonly api: ApiContext;
  readonly id: string;
}

type Act = (jobs: JobService, call: Call) => Promise<object>;

/** Makes an act on one job, which is answered with the job. */
const one =
  (name: "get" | "pause" | "resume"): Act =>
  async (jobs, { id }) => ({ job: await jobs[name](checkJobId(id)) });

const create: Act = async (jobs, call) => ({ job: await jobs.create(await bodyOf(call)) });

const change: Act = async (jobs, call) => ({
  job: await jobs.change(checkJobId(call.id), await bodyOf(call)),
});

const remove: Act = (jobs, { id }) => jobs.remove(checkJobId(id)).then(() => ({ ok: true }));

const run: Act = async (jobs, call) => {
  const id = checkJobId(call.id);
  call.api.admission.checkOpen();
  return { job: await jobs.run(id, await bodyOf(call, {})) };
};

const bodyOf = ({ c, api }: Call, empty?: JsonBody): Promise<JsonBody> =>
  readJsonObject(c, api.settings, empty);

async function answerJob(call: Call, jobs: JobService | undefined, act: Act): Promise<Response> {
  const { c, api } = call;
  if (jobs === undefined) return c.json({ error: "There is no scheduler in this process." }, 501);
  try {
    return c.json(await act(jobs, call));
  } catch (thrown) {
    const { status, message, details } = toHttpError(thrown, api.host.services.redactor());
    // A failure of the server is answered as everywhere else.
    if (status === 500) throw thrown;
    return c.json({ error: message }, status, { ...details.headers });
  }
}

const list: Act = async (jobs, { c }) => {
  const all = await jobs.list();
  const withDisabled = switchOf(c.req.query("include_disabled"), false);
  return { jobs: withDisabled ? all : all.filter(({ enabled }) => enabled) };
};

/** @throws HttpError 400 */
function checkJobId(id: string): string {
  if (/^[0-9a-f]{12}$/.test(id)) return id;
  throw new HttpError(400, "Invalid job ID format");
}
