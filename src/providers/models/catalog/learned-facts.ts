import type { Endpoint } from "../endpoint/endpoint.ts";

/** The facts that an endpoint has told about one of its models, as far as they are known. */
export interface LearnedModel {
  /** Tokens that the model is served with. */
  contextLength?: number;
  /** The model has taken an image, or refused one. */
  vision?: boolean;
  /** The question for the context, once it was asked. */
  asked?: Promise<void>;
  /** The warning about the context was given. */
  isWarned?: boolean;
}

/** A collection of all that the endpoints of a process have told about their models. It outlives a change of settings. */
export class LearnedFacts {
  readonly #models = new Map<string, LearnedModel>();

  /** The facts about a model; what is learned is written there. */
  of({ baseUrl }: Pick<Endpoint, "baseUrl">, model: string): LearnedModel {
    const key = JSON.stringify([baseUrl, model]);
    const known = this.#models.get(key) ?? {};
    this.#models.set(key, known);
    return known;
  }
}
