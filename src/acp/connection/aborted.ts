/** Resolves when a signal aborts; `over`: nobody waits for it any longer. */
export const aborted = (signal: AbortSignal, over?: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    const options = over === undefined ? { once: true } : { once: true, signal: over };
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), options);
  });
