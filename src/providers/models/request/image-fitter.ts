/** How large an image may be. */
export interface ImageLimits {
  /** Pixels of its longer side. */
  readonly side: number;
  readonly bytes: number;
}

/** Makes images smaller. */
export interface ImageFitter {
  /**
   * The picture as PNG, JPEG or WebP within limits. The same bytes give the same bytes: provider caches hang on it.
   *
   * @param key - the same for the same bytes, and for no others
   * @throws HostError `tool_failed` when it cannot be done, with the reason
   */
  fit(
    bytes: Uint8Array,
    options: { readonly key: string; readonly limits: ImageLimits },
  ): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string }>;
}
