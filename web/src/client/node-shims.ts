/** What the gateway's client uses of Node, as a browser has it. */

export const setTimeout = (run: () => void, ms: number) => {
  const timer = globalThis.setTimeout(run, ms);
  return { timer, unref: () => undefined };
};

export const clearTimeout = ({ timer }: ReturnType<typeof setTimeout>): void =>
  globalThis.clearTimeout(timer);

export const setImmediate = (run: () => void): void => void globalThis.setTimeout(run, 0);

export function addAbortListener(signal: AbortSignal, run: () => void): Disposable {
  if (signal.aborted) queueMicrotask(run);
  else signal.addEventListener("abort", run, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", run) };
}
