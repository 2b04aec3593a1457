import type { HttpContext } from "./context.ts";

/**
 * A request's body as it comes. It is read from the connection itself, because a `Request` keeps what was read of it as
 * long as it lives. Whoever stops reading has an answer to give: the connection stays.
 */
export function bodyPieces(c: HttpContext): AsyncIterable<Uint8Array> {
  const { incoming } = c.env ?? {};
  return incoming?.iterator({ destroyOnReturn: false }) ?? c.req.raw.body ?? NOTHING;
}

const NOTHING: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {
    // There are no pieces.
  },
};
