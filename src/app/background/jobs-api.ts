import { defined } from "../../shared/json/defined.ts";
import type { JobPort } from "../../dashboard/index.ts";
import type { JobService } from "../../http/index.ts";
import {
  decodeJobDraft,
  decodeJobPatch,
  decodeRunExtra,
  encodeJob,
  encodeJobRun,
  encodeOneJob,
  type Job,
  JobDraftBody,
  JobPatchBody,
  JobRecord,
  JobRunBody,
} from "../../automation/jobs/index.ts";
import type { BackgroundServices } from "./background-services.ts";

/** Jobs that the API makes come from nowhere that could be answered to. */
const ORIGIN = { platform: "api_server", chatId: "api" } as const;

/** The jobs of a home, as the jobs API and the dashboard's page need them. */
export function jobsApi({
  jobs,
  scheduler,
}: Pick<BackgroundServices, "jobs" | "scheduler">): JobService & JobPort {
  const shown = (job: Job) => encodeJob(job, jobs.zone);
  return {
    shapes: { draft: JobDraftBody, patch: JobPatchBody, run: JobRunBody, record: JobRecord },
    async list() {
      return await Promise.all(
        (await jobs.list()).map(async (job) => {
          const [latest] = await jobs.runs(job.id, 1);
          return {
            ...shown(job),
            latest_execution: latest === undefined ? null : encodeJobRun(latest, jobs.zone),
          };
        }),
      );
    },
    async runs(id, page) {
      const { values, ...more } = await jobs.pageOfRuns(id, page);
      return { data: values.map((run) => encodeJobRun(run, jobs.zone)), ...more };
    },
    create: async (body) => shown(await jobs.create({ ...decodeJobDraft(body), origin: ORIGIN })),
    get: async (id) => encodeOneJob(await jobs.get(id), jobs.zone),
    change: async (id, body) => shown(await jobs.change(id, decodeJobPatch(body))),
    remove: (id) => jobs.remove(id),
    pause: async (id) => shown(await jobs.pause(id)),
    resume: async (id) => shown(await jobs.resume(id)),
    async run(id, body) {
      await jobs.runNow(id, { claim: false, ...defined({ extra: decodeRunExtra(body) }) });
      await scheduler.pollOnce();
      return shown(await jobs.get(id));
    },
  };
}
