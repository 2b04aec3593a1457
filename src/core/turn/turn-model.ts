import type { HostError } from "../../shared/errors/host-error.ts";
import type { Model, ModelRef, Models } from "../ports/model.ts";

/** What another model could do better: an endpoint that is down, or lets nobody in. */
const REASONS = new Set([
  "provider_auth",
  "provider_quota",
  "provider_rate_limit",
  "provider_overloaded",
  "provider_not_found",
  "provider_network",
  "provider_stalled",
]);

/** The model of a turn: the one that is set, or one that stands in since it failed. The next turn begins with the set one. */
export class TurnModel {
  readonly #models: () => Models;
  readonly #set: () => ModelRef;
  #standIn: { readonly wanted: Model; readonly failed: readonly Model[]; readonly model: Model } | undefined;

  /** @param set - what the session's settings say now; a switch in the middle of a turn counts */
  constructor(models: () => Models, set: () => ModelRef) {
    this.#models = models;
    this.#set = set;
  }

  /** @throws HostError as `Models.resolve` does */
  current(): Model {
    const wanted = this.#models().resolve(this.#set());
    return this.#standIn?.wanted === wanted ? this.#standIn.model : wanted;
  }

  /** Goes on with the next model that is configured to stand in; `undefined` when there is none, or none would help. */
  fallBack(error: HostError): Model | undefined {
    if (!REASONS.has(error.code)) return undefined;
    const wanted = this.#models().resolve(this.#set());
    const before = this.#standIn?.wanted === wanted ? this.#standIn.failed : [];
    const failed = [...before, this.current()];
    const model = this.#models().fallback?.(failed);
    if (model !== undefined) this.#standIn = { wanted, failed, model };
    return model;
  }
}
