import { HostError } from "../../../shared/errors/host-error.ts";
import type { LearnedModel } from "../catalog/learned-facts.ts";

/** Words about images in a refusal, also one whose status says something else. */
const ABOUT_IMAGES = /\bimages?\b|image_url|input_image|\bvision\b|multi-?modal|mmproj/i;
const OTHER_CODES = new Set(["provider_not_found", "provider_overloaded"]);

/**
 * One request's answer to whether its model takes images, when nobody knows: it gets them, and after a refusal the same
 * request without them. What came of it is remembered for the model.
 */
export class ImageTrial {
  readonly #known: LearnedModel;
  readonly #isTrial: boolean;
  #withImages: boolean;
  #isSent = false;

  /** @param vision - what is known of the model beforehand */
  constructor(vision: boolean | undefined, known: LearnedModel) {
    const before = vision ?? known.vision;
    this.#known = known;
    this.#withImages = before ?? true;
    this.#isTrial = before === undefined;
  }

  /** The images are part of the next attempt. */
  get withImages(): boolean {
    return this.#withImages;
  }

  /** Takes a failed attempt; `true` when another one is worth making. */
  refused(thrown: unknown): boolean {
    if (!this.#isTrial || !this.#isSent || !this.#withImages || !(thrown instanceof HostError)) return false;
    const { code, message } = thrown;
    const isRefusal =
      code === "provider_bad_request" || (OTHER_CODES.has(code) && ABOUT_IMAGES.test(message));
    if (isRefusal) this.#withImages = false;
    return isRefusal;
  }

  /** Takes that an image is in the attempt: one that is lost or has no room says nothing about the model. */
  sent(): void {
    this.#isSent = true;
  }

  /** Takes an attempt that was answered. */
  passed(): void {
    if (this.#isTrial && this.#isSent) this.#known.vision = this.#withImages;
  }
}
