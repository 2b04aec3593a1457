import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import type { AppSettings } from "./settings.ts";

/** The block `jobs` of config.yaml. */
export interface JobsBlock {
  /** Runs that one process carries out at once. */
  readonly concurrency: number;
  /** Milliseconds without any event after which a run is stopped. */
  readonly idleMs: number;
  /** Delivered texts get a title line with the job's name. */
  readonly wrap: boolean;
}

const Wire = z.looseObject({
  max_concurrent_runs: z.int().min(1).default(4),
  idle_timeout: z.number().min(1).default(600),
  wrap_response: z.boolean().default(true),
});

/** @throws HostError `config_invalid`, naming the key */
export function jobsBlock({ config, paths }: AppSettings): JobsBlock {
  const result = Wire.safeParse(config["jobs"] ?? {});
  if (result.success) {
    const { max_concurrent_runs: concurrency, idle_timeout: seconds, wrap_response: wrap } = result.data;
    return { concurrency, idleMs: 1000 * seconds, wrap };
  }
  const [issue] = result.error.issues;
  const key = ["jobs", ...(issue?.path ?? [])].join(".");
  throw new HostError("config_invalid", `${key} in ${paths.config} is not valid: ${issue?.message ?? ""}.`, {
    details: { subject: key },
  });
}
