import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import { type ConfigSource, key } from "./block.ts";
import { readBlock } from "./read-block.ts";

const HOUR = 3_600_000;
const USUAL_HOURS = 24;

/** The block `detached`. */
export const detachedBlock = later(() =>
  z.looseObject({
    max_hours: key(
      z.number().min(0),
      "Hours that a process goes on with its turns at most when its terminal was left; 0 is no limit.",
      USUAL_HOURS,
    ),
  }),
);

/** Milliseconds that a process without a terminal goes on at most; 0 is no limit. @throws HostError `config_invalid` */
export function detachedLimit(source: ConfigSource): number {
  const { max_hours: hours = USUAL_HOURS } = readBlock(source, "detached", detachedBlock());
  return hours * HOUR;
}
