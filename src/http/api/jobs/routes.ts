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

/** The names of the operations in the list of endpoints. */
const ENDPOINTS: Readonly<Record<string, string>> = {
  listJobs: "jobs",
  createJob: "job_create",
  getJob: "job",
  patchJob: "job_update",
  deleteJob: "job_delete",
  pauseJob: "job_pause",
  resumeJob: "job_resume",
  runJob: "job_run",
};

/**
 * Declares the routes of jobs. Their errors are `{"error": "<text>"}`, other than everywhere else. Without a scheduler they
 * answer only that there is none, and are not listed.
 */
export function jobRoutes(api: ApiContext, jobs: JobService | undefined): readonly ApiRoute[] {
  const routes = allRoutes(api, jobs);
  if (jobs === undefined) return routes;
  return routes.map((each) => ({ ...each, ...defined({ endpoint: ENDPOINTS[each.id] }) }));
}

function allRoutes(api: ApiContext, jobs: JobService | undefined): readonly ApiRoute[] {
  const shapes = jobs?.shapes;
  const { answer, all, gone } = answersOf(shapes?.record ?? z.looseObject({}));
  const body = (c: HttpContext, empty?: JsonBody): Promise<JsonBody> =>
    readJsonObject(c, api.settings, empty);
  const jobRoute = (address: Address, act: Act, operation: Operation): ApiRoute =>
    route(address, (c, id) => answerJob(c, api, { jobs, id, act }), {
      answer,
      ...operation,
      shortErrors: true,
    });
  return [
    jobRoute("GET /api/jobs", list, {
      id: "listJobs",
      summary: "List jobs",
      query: ["include_disabled"],
      answer: all,
    }),
    jobRoute("POST /api/jobs", async (found, c) => ({ job: await found.create(await body(c)) }), {
      id: "createJob",
      summary: "Make a job",
      ...defined({ body: shapes?.draft }),
    }),
    jobRoute(
      `GET ${ONE}`,
      one((found, id) => found.get(id)),
      { id: "getJob", summary: "A job with its last run" },
    ),
    jobRoute(
      `PATCH ${ONE}`,
      one(async (found, id, c) => await found.change(id, await body(c))),
      { id: "patchJob", summary: "Change a job", ...defined({ body: shapes?.patch }) },
    ),
    jobRoute(
      `DELETE ${ONE}`,
      async (found, _c, id) => await found.remove(checkJobId(id)).then(() => ({ ok: true })),
      { id: "deleteJob", summary: "Remove a job and stop its run", answer: gone },
    ),
    jobRoute(
      `POST ${ONE}/pause`,
      one((found, id) => found.pause(id)),
      { id: "pauseJob", summary: "Let due times pass" },
    ),
    jobRoute(
      `POST ${ONE}/resume`,
      one((found, id) => found.resume(id)),
      { id: "resumeJob", summary: "Go on with the next due time" },
    ),
    jobRoute(
      `POST ${ONE}/run`,
      one(async (found, id, c) => {
        api.admission.checkOpen();
        return await found.run(id, await body(c, {}));
      }),
      { id: "runJob", summary: "Run a job now", bodyOptional: true, ...defined({ body: shapes?.run }) },
    ),
  ];
}

const answersOf = (record: z.ZodType) => ({
  answer: z.object({ job: record }).meta({ title: "JobAnswer" }),
  all: z.object({ jobs: z.array(record) }).meta({ title: "JobList" }),
  gone: z.object({ ok: z.literal(true) }).meta({ title: "JobRemoved" }),
});

type Address = Parameters<typeof route>[0];
type Act = (jobs: JobService, c: HttpContext, id: string) => Promise<object>;

/** Makes an act on one job, which is answered with the job. */
const one = (act: (jobs: JobService, id: string, c: HttpContext) => Promise<JobRecord>): Act => {
  return async (found, c, id) => ({ job: await act(found, checkJobId(id), c) });
};

async function answerJob(
  c: HttpContext,
  { host }: ApiContext,
  { jobs, id, act }: { readonly jobs: JobService | undefined; readonly id: string; readonly act: Act },
): Promise<Response> {
  if (jobs === undefined) return c.json({ error: "There is no scheduler in this process." }, 501);
  try {
    return c.json(await act(jobs, c, id));
  } catch (thrown) {
    const { status, message, details } = toHttpError(thrown, host.services.redactor());
    // A failure of the server is answered as everywhere else.
    if (status === 500) throw thrown;
    return c.json({ error: message }, status, { ...details.headers });
  }
}

const list: Act = async (jobs, c) => {
  const all = await jobs.list();
  const withDisabled = switchOf(c.req.query("include_disabled"), false);
  return { jobs: withDisabled ? all : all.filter(({ enabled }) => enabled) };
};

/** @throws HttpError 400 */
function checkJobId(id: string): string {
  if (/^[0-9a-f]{12}$/.test(id)) return id;
  throw new HttpError(400, "Invalid job ID format");
}
