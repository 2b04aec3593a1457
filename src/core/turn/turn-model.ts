import { HostError } from "../../shared/errors/host-error.ts";
import type { Model, ModelRef, Models } from "../ports/model.ts";

/** Errors that another model may not have: those of an endpoint that is down, or refuses. */
const FALLBACK_CODES = new Set([
  "provider_auth",
  "provider_quota",
  "provider_rate_limit",
  "provider_overloaded",
  "provider_not_found",
  "provider_network",
  "provider_stalled",
]);

/** The model of a turn: the one of the settings, or its stand-in once that failed. The next turn begins with the settings. */
export class TurnModel {
  readonly #models: () => Models;
  readonly #settings: () => ModelRef;
  #standIn: { readonly wanted: Model; readonly failed: readonly Model[]; readonly model: Model } | undefined;

  /** @param settings - gives the session's settings of now; a switch in the middle of a turn counts */
  constructor(models: () => Models, settings: () => ModelRef) {
    this.#models = models;
    this.#settings = settings;
  }

  /** @throws HostError as `Models.resolve` does */
  current(): Model {
    const wanted = this.#models().resolve(this.#settings());
    return this.#standIn?.wanted === wanted ? this.#standIn.model : wanted;
  }

  /** Goes on with the next model that is configured to stand in; `undefined` when there is none, or none would help. */
  fallBack(error: HostError): Model | undefined {
    if (!FALLBACK_CODES.has(error.code)) return undefined;
    const wanted = this.#models().resolve(this.#settings());
    const before = this.#standIn?.wanted === wanted ? this.#standIn.failed : [];
    const failed = [...before, this.current()];
    const model = this.#models().fallback?.(failed);
    if (model !== undefined) this.#standIn = { wanted, failed, model };
    return model;
  }
}

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
