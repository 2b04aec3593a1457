/** The largest size that an image may have. */
export interface ImageLimits {
  /** Pixels of its longer side. */
  readonly side: number;
  readonly bytes: number;
}

/** An image that was made smaller. */
export interface FittedImage {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** A way to make images smaller. */
export interface ImageFitter {
  /**
   * Gives the picture as PNG, JPEG or WebP within limits. The same bytes give the same bytes: provider caches depend
   * on it.
   *
   * @param key - the same for the same bytes, and for no others
   * @throws HostError `tool_failed` when it cannot be done, with the reason
   */
  fit(
    bytes: Uint8Array,
    options: { readonly key: string; readonly limits: ImageLimits },
  ): Promise<FittedImage>;
}
