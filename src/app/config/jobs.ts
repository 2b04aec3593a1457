import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import type { ConfigSource } from "./block.ts";
import { readBlock } from "./read-block.ts";

/** The block `jobs` of config.yaml. */
export const jobsBlock = later(() =>
  z.looseObject({
    max_concurrent_runs: z.int().min(1).default(4).describe("Runs that one process carries out at once."),
    idle_timeout: z
      .number()
      .min(1)
      .default(600)
      .describe("Seconds without any event until a run is stopped."),
    wrap_response: z.boolean().default(true).describe("Put the job's name above what is delivered."),
  }),
);

/** Reads the block `jobs`; times in milliseconds. @throws HostError `config_invalid`, naming the key */
export function jobSettings(source: ConfigSource) {
  const block = readBlock(source, "jobs", jobsBlock());
  const { max_concurrent_runs: concurrency, idle_timeout: seconds, wrap_response: wrap } = block;
  return { concurrency, idleMs: 1000 * seconds, wrap };
}
