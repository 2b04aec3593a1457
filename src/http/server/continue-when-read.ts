import type { ServerResponse } from "node:http";

/** For answers whose client waits for `100 Continue`: sends it. */
const waiting = new WeakMap<object, () => void>();

/**
 * Lets a client that asks whether its body is wanted wait until the body is read. When it is answered before that, with
 * 401 for instance, the connection closes: nobody could tell whether the body still comes.
 */
export function continueWhenRead(response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  waiting.set(response, () => {
    waiting.delete(response);
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  });
}

/** Asks the client of an answer for its body, if it waits for that. */
export const askForBody = (response: object): void => waiting.get(response)?.();
