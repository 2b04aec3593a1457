/**
 * Runs generators side by side and yields what they yield as it comes. When one throws, or the consumer leaves, the
 * others are closed.
 */
export async function* mergeGenerators<T>(
  generators: readonly AsyncGenerator<T, void>[],
): AsyncGenerator<T, void> {
  const [only] = generators;
  if (generators.length === 1 && only !== undefined) return yield* only;
  const advance = (generator: AsyncGenerator<T, void>) => {
    const next = generator.next().then((step) => ({ generator, step }));
    // It may fail while the consumer is busy: that is heard when it comes back, or nobody wants to know.
    next.catch(() => undefined);
    return next;
  };
  const running = new Map(generators.map((generator) => [generator, advance(generator)]));
  try {
    while (running.size > 0) {
      const { generator, step } = await Promise.race(running.values());
      if (step.done === true) running.delete(generator);
      else {
        running.set(generator, advance(generator));
        yield step.value;
      }
    }
  } finally {
    for (const generator of running.keys()) generator.return().catch(() => undefined);
  }
}
