import type { z } from "zod";
import { switchOf } from "../../server/decode.ts";
import type { HttpApp, HttpContext } from "../../server/context.ts";
import { readJsonObject } from "../../server/json-body.ts";
import { toHttpError } from "../../server/http-error.ts";
import type { ApiContext } from "../../turns/api-context.ts";

/** A job as clients get it. */
type JobRecord = Readonly<Record<string, unknown>> & { readonly enabled: boolean };

type Body = Readonly<Record<string, unknown>>;

/**
 * The jobs of a home, in the words of the wire. All but `list` throw HostError `not_found` for a job that is not there,
 * and `invalid_params` or `conflict` with what is wrong.
 */
export interface JobService {
  /** Of what is sent and answered, for the document that describes the API. */
  readonly shapes: {
    readonly draft: z.ZodType;
    readonly patch: z.ZodType;
    readonly run: z.ZodType;
    readonly record: z.ZodType;
  };
  /** Oldest first, the inactive ones too. */
  list(): Promise<readonly JobRecord[]>;
  create(body: Body): Promise<JobRecord>;
  get(id: string): Promise<JobRecord>;
  change(id: string, body: Body): Promise<JobRecord>;
  remove(id: string): Promise<void>;
  pause(id: string): Promise<JobRecord>;
  resume(id: string): Promise<JobRecord>;
  /** Begins a run at once, outside the schedule. */
  run(id: string, body: Body): Promise<JobRecord>;
}

/** The jobs API. Its errors are `{"error": "<text>"}`, other than everywhere else. */
export function jobRoutes(app: HttpApp, api: ApiContext, jobs: JobService | undefined): void {
  const answer = (act: (c: HttpContext, jobs: JobService) => Promise<object>) => async (c: HttpContext) => {
    if (jobs === undefined) return c.json({ error: "There is no scheduler in this process." }, 501);
    try {
      return c.json(await act(c, jobs));
    } catch (thrown) {
      return failure(c, thrown, api);
    }
  };
  const body = (c: HttpContext, empty?: Body): Promise<Body> => readJsonObject(c, api.settings, empty);
  const one = async (job: Promise<JobRecord>) => ({ job: await job });

  app.get("/api/jobs", answer(list));
  app.post(
    "/api/jobs",
    answer(async (c, jobs) => await one(jobs.create(await body(c)))),
  );
  app.get(
    "/api/jobs/:job",
    answer(async (c, jobs) => await one(jobs.get(jobId(c)))),
  );
  app.patch(
    "/api/jobs/:job",
    answer(async (c, jobs) => await one(jobs.change(jobId(c), await body(c)))),
  );
  app.delete(
    "/api/jobs/:job",
    answer(async (c, jobs) => {
      await jobs.remove(jobId(c));
      return { ok: true };
    }),
  );
  app.post(
    "/api/jobs/:job/pause",
    answer(async (c, jobs) => await one(jobs.pause(jobId(c)))),
  );
  app.post(
    "/api/jobs/:job/resume",
    answer(async (c, jobs) => await one(jobs.resume(jobId(c)))),
  );
  app.post(
    "/api/jobs/:job/run",
    answer(async (c, jobs) => {
      api.admission.checkOpen();
      return await one(jobs.run(jobId(c), await body(c, {})));
    }),
  );
}

async function list(c: HttpContext, jobs: JobService): Promise<object> {
  const all = await jobs.list();
  return {
    jobs: switchOf(c.req.query("include_disabled"), false) ? all : all.filter(({ enabled }) => enabled),
  };
}

/** Says what is wrong with an id before anybody looks for it. */
class BadId extends Error {}

function jobId(c: HttpContext): string {
  const id = c.req.param("job") ?? "";
  if (/^[0-9a-f]{12}$/.test(id)) return id;
  throw new BadId("Invalid job ID format");
}

function failure(c: HttpContext, thrown: unknown, { host }: ApiContext): Response {
  if (thrown instanceof BadId) return c.json({ error: thrown.message }, 400);
  const { status, message, details } = toHttpError(thrown, host.services.redactor());
  // What is not ours to explain goes the way of all failures.
  if (status === 500) throw thrown;
  return c.json({ error: message }, status, { ...details.headers });
}
