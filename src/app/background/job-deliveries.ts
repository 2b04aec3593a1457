import { type Delivery, type Outbox, readTargets } from "../../automation/delivery/index.ts";
import type { JobMessage, JobRecords } from "../../automation/jobs/index.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { TargetTable } from "./senders.ts";

interface JobDeliveryOptions {
  readonly records: JobRecords;
  readonly outbox: Outbox;
  readonly table: TargetTable;
  readonly report: (error: HostError) => void;
  /** Answers are sent below the name of their job. */
  readonly wrap: boolean;
}

/** Takes the texts of jobs into the outbox. What cannot be sent is noted at its job and reported: the run is over all the same. */
export function jobDelivery({ records, outbox, table, report, wrap }: JobDeliveryOptions) {
  return async ({ key, job, text, failed }: JobMessage): Promise<void> => {
    const shown = failed ? `${job.name}: ${text}` : wrap ? `${job.name}\n\n${text}` : text;
    const source = { kind: "job", id: key };
    try {
      for (const [index, target] of jobTargets(job, table).entries())
        await outbox.put({ id: `${key}:${index}`, target, text: shown, subject: job.name, source });
    } catch (thrown) {
      // The settings may have changed since the job was made.
      const { code, message } = toHostError(thrown);
      if (code !== "invalid_params") throw thrown;
      await noteLost(records, key, message);
      const lost = `A text of the job ${job.name} cannot be delivered: ${message}`;
      report(new HostError("delivery_failed", lost, { cause: thrown }));
    }
  };
}

/** The targets of a job. @throws HostError `invalid_params` for one that is not there */
export function jobTargets(
  { deliver, origin }: Partial<Pick<JobMessage["job"], "origin">> & { readonly deliver: string },
  { kinds, homes }: TargetTable,
): readonly Delivery["target"][] {
  if (origin === undefined || !kinds.has(origin.platform)) return readTargets(deliver, { kinds, homes });
  const { platform: kind, chatId, threadId } = origin;
  return readTargets(deliver, { kinds, homes, origin: defined({ kind, chatId, threadId }) });
}

/** The failure of a text that was given up. */
export const notDelivered = ({ id, source, target, error }: Delivery): HostError =>
  new HostError(
    "delivery_failed",
    `A text of ${source.kind} ${source.id.replaceAll("\n", " ")} did not reach ${target.kind}: ${error ?? "not delivered"}. Send it again with \`agent webhook deliveries redeliver ${id}\`.`,
  );

/** Notes at a job that its newest answer did not arrive. */
export async function noteDelivery(
  records: JobRecords,
  { source, target, status, error }: Delivery,
): Promise<void> {
  if (source.kind !== "job" || status !== "failed") return;
  await noteLost(records, source.id, `${target.kind}: ${error ?? "not delivered"}`);
}

async function noteLost(records: JobRecords, runId: string, deliveryError: string): Promise<void> {
  const [jobId = ""] = runId.split(":");
  try {
    await records.changeJob(jobId, (job) => {
      const { last } = job;
      return last?.runId === runId ? { ...job, last: { ...last, deliveryError } } : undefined;
    });
  } catch (thrown) {
    // The job was deleted meanwhile.
    if (!(thrown instanceof HostError) || thrown.code !== "not_found") throw thrown;
  }
}
