import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import { type ConfigSource, key } from "./block.ts";
import { readBlock } from "./read-block.ts";

const USUAL_BYTES = 1_000_000_000;

/** The block `checkpoints`. */
export const checkpointsBlock = later(() =>
  z.looseObject({
    enabled: key(
      z.boolean(),
      "Keep files before the agent changes them, so that they can be taken back.",
      true,
    ),
    max_bytes: key(
      z.int().min(1_000_000),
      "Bytes that the kept files of one session take at most; the oldest turns are given up first.",
      USUAL_BYTES,
    ),
  }),
);

/** The settings of checkpoints; `undefined` when they are switched off. @throws HostError `config_invalid` */
export function checkpointSettings(source: ConfigSource): { readonly maxBytes: number } | undefined {
  const { enabled = true, max_bytes: maxBytes = USUAL_BYTES } = readBlock(
    source,
    "checkpoints",
    checkpointsBlock(),
  );
  return enabled ? { maxBytes } : undefined;
}
