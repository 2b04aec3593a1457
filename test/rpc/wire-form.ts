import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { EVENTS } from "../../src/rpc/protocol/events.ts";
import { isMethod, METHODS } from "../../src/rpc/protocol/methods.ts";

/** What is wrong with a result, by the protocol's own table: a key that is not in it counts too. */
export function resultFault(method: string, result: unknown): string | undefined {
  return isMethod(method) ? fault(`the result of ${method}`, METHODS[method].result, result) : undefined;
}

/** The same for the `params` of an event. */
export function eventFault({ type, payload }: { type: string; payload: unknown }): string | undefined {
  if (!isEvent(type)) return `There is no event ${type}.`;
  return fault(`the payload of ${type}`, EVENTS[type].payload, payload);
}

function fault(what: string, form: z.ZodType, value: unknown): string | undefined {
  const { data, error } = form.safeParse(value);
  if (error !== undefined) return `${what}: ${error.message}`;
  return isDeepStrictEqual(data, value) ? undefined : `${what} has more than the table says`;
}

const isEvent = (type: string): type is keyof typeof EVENTS => Object.hasOwn(EVENTS, type);
