import { HostError } from "../errors/host-error.ts";

/** Refuses a second loop over the same events, which would be silently empty: a generator can be read once. */
export function readOnce<T>(events: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  let isRead = false;
  return Object.assign(events, {
    [Symbol.asyncIterator]() {
      if (isRead)
        throw new HostError(
          "invalid_params",
          "These events were read by a loop before. Call events() again for each loop.",
        );
      isRead = true;
      return events;
    },
  });
}
