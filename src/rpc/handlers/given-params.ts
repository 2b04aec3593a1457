import type { Method } from "../protocol/method.ts";

type Params = Readonly<Record<string, unknown>>;

/**
 * What a client said. Many send `null`, or an empty session id, where they have nothing to say: what may be left out
 * counts as left out then.
 */
export function givenParams(params: Params, { params: { shape } }: Method): Params {
  const isOptional = (name: string): boolean =>
    Object.hasOwn(shape, name) && shape[name]?.safeParse(undefined).success === true;
  const saysNothing = (name: string, value: unknown): boolean =>
    value === null || (name === "session_id" && value === "");
  const said = Object.entries(params).filter(
    ([name, value]) => !saysNothing(name, value) || !isOptional(name),
  );
  return Object.fromEntries(said);
}
