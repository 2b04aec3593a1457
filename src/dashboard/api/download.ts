/** Makes a download of lines out of values, which are read as it takes them. */
export function downloadOf<T>(
  values: AsyncIterable<T>,
  lineOf: (value: T) => string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reading = values[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(download) {
      const next = await reading.next();
      if (next.done === true) download.close();
      else download.enqueue(encoder.encode(lineOf(next.value)));
    },
    async cancel() {
      await reading.return?.();
    },
  });
}
