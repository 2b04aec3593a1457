import { HostError } from "../../shared/errors/host-error.ts";

/** Gives the model of a new session that the flags name, if any. @throws HostError `command_usage` when they name two */
export function modelFlag({
  demo,
  model,
}: {
  readonly demo?: boolean | undefined;
  readonly model?: string | undefined;
}): string | undefined {
  if (demo !== true) return model;
  if (model === undefined) return "demo:demo";
  throw new HostError(
    "command_usage",
    `--demo and --model ${model} name two models. Leave --demo out for ${model}, or --model for the demo model.`,
  );
}
