import type { Step } from "agent-host/testing";

/** Opens 2 ms after it was reached, and notes when. */
export function timedGate(times: number[]): Extract<Step, { type: "wait" }>["gate"] {
  const opening = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const arrive = (): void => {
    reached.resolve();
    setTimeout(() => {
      times.push(performance.now());
      opening.resolve();
    }, 2);
  };
  return { opened: opening.promise, reached: reached.promise, open: opening.resolve, arrive };
}
