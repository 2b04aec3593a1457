import { createHash } from "node:crypto";
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

/** A memory that outlives the process: keys of models that have refused images. */
export interface RefusalMemory {
  list(): readonly string[];
  add(key: string): void;
}

const FORGETFUL: RefusalMemory = { list: () => [], add: () => undefined };

/** A collection of all that the endpoints of a process have told about their models. It outlives a change of settings. */
export class LearnedFacts {
  /** By address and model, as a text. */
  readonly #models = new Map<string, LearnedModel>();
  readonly #memory: RefusalMemory;
  #refusals: ReadonlySet<string> | undefined;

  constructor(memory: RefusalMemory = FORGETFUL) {
    this.#memory = memory;
  }

  /** The facts about a model; what is learned is written there. */
  of({ baseUrl }: Pick<Endpoint, "baseUrl">, model: string): LearnedModel {
    const name = nameOf(baseUrl, model);
    const known = this.#models.get(name);
    if (known !== undefined) return known;
    this.#refusals ??= new Set(this.#memory.list());
    // Where nothing was refused, nothing is digested: the first digest of a process takes milliseconds.
    const isRefused = this.#refusals.size > 0 && this.#refusals.has(digestOf(name));
    const made: LearnedModel = isRefused ? { vision: false } : {};
    this.#models.set(name, made);
    return made;
  }

  /** Keeps what has been learned about images: a refused request is not sent again after a restart. */
  keep({ baseUrl }: Pick<Endpoint, "baseUrl">, model: string): void {
    const name = nameOf(baseUrl, model);
    if (this.#models.get(name)?.vision !== false) return;
    const key = digestOf(name);
    if (this.#refusals?.has(key) !== true) this.#memory.add(key);
  }
}

const nameOf = (baseUrl: string, model: string): string => JSON.stringify([baseUrl, model]);

/** An address may hold a key, so that none is written down. */
const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22);
