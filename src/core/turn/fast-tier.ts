import { HostError } from "../../shared/errors/host-error.ts";
import type { ModelRef, Models } from "../ports/model.ts";

/** @throws HostError `invalid_params` when a model has no faster tier; `model_*` when it cannot be used at all */
export function requireFastTier(models: Models, ref: ModelRef): void {
  const { provider, name, hasFastTier } = models.resolve(ref);
  if (hasFastTier === true) return;
  throw new HostError(
    "invalid_params",
    `${provider}:${name} has no faster tier that is known here. If its provider has one, write its name into fast_tier beside the model in config.yaml.`,
    { details: { subject: "fast" } },
  );
}
