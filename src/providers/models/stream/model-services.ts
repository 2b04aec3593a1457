import type { Clock } from "../../../shared/async/clock.ts";
import type { ImageFitter } from "../../../shared/content/image-fitter.ts";
import type { LearnedFacts } from "../catalog/learned-facts.ts";
import type { ModelTimeouts } from "../config/timeouts.ts";
import type { CredentialSource } from "../endpoint/credential.ts";
import type { HttpTransport } from "../endpoint/http-transport.ts";
import type { RateLimiters } from "../rate-limit/rate-limiters.ts";

/** The services that the models of all dialects need. */
export interface ModelServices {
  readonly clock: Clock;
  readonly transport: HttpTransport;
  readonly timeouts: ModelTimeouts;
  readonly credentials: CredentialSource;
  readonly rateLimiters: RateLimiters;
  /** Makes images smaller that are too large for endpoints; without it they are left out, with a note. */
  readonly images?: ImageFitter | undefined;
  readonly newId: () => string;
  readonly learned: LearnedFacts;
  /** Told how much context an endpoint serves a model with, when nothing said it before. */
  readonly keepContext?: ((found: ServedContext) => void) | undefined;
}

/** The context that an endpoint serves a model with. */
export interface ServedContext {
  readonly provider: string;
  readonly model: string;
  /** Tokens. */
  readonly contextLength: number;
}
