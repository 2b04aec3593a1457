import type { ReceivedCall, WebhookCall } from "../../automation/webhook/index.ts";
import type { IncomingCall, IncomingCallDetail } from "../../dashboard/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { BackgroundServices } from "./background-services.ts";

type Services = Pick<BackgroundServices, "calls" | "received">;

/** The choice of calls of a list. */
export interface IncomingQuery {
  readonly after?: number;
  readonly limit: number;
  /** Words of route, event or reason. */
  readonly words: string;
  /** What became of them at the door. */
  readonly state: string;
}

/** A page of the calls that came in, with what became of those that were accepted. */
export async function incomingCalls(
  { calls, received }: Services,
  { words, state, ...page }: IncomingQuery,
): Promise<{ readonly data: IncomingCall[]; readonly next?: number }> {
  const wanted = words.trim().toLowerCase();
  const { values, next } = await received.page(
    page,
    ({ route, event = "", reason = "", fate }) =>
      (state === "" || fate === state) && `${route} ${event} ${reason}`.toLowerCase().includes(wanted),
  );
  const data = await Promise.all(values.map(async (call) => encode(call, await acceptedAs(calls, call))));
  return { data, ...defined({ next }) };
}

/** @throws HostError `not_found` */
export async function incomingCall({ calls, received }: Services, id: string): Promise<IncomingCallDetail> {
  const call = await received.get(id);
  if (call === undefined)
    throw new HostError(
      "not_found",
      `There is no call ${JSON.stringify(id.slice(0, 100))}, or not any more.`,
    );
  const accepted = await acceptedAs(calls, call);
  const { body, isCut = false } = call;
  const { response, sessionId, direct } = accepted ?? {};
  return {
    ...encode(call, accepted),
    is_cut: isCut,
    ...defined({ body, response, session_id: direct === true ? undefined : sessionId }),
  };
}

const acceptedAs = async (
  calls: Services["calls"],
  { callKey }: ReceivedCall,
): Promise<WebhookCall | undefined> => (callKey === undefined ? undefined : await calls.get(callKey));

function encode(
  { id, at, route, fate, event, reason }: ReceivedCall,
  call: WebhookCall | undefined,
): IncomingCall {
  return {
    id,
    at: at / 1000,
    route,
    outcome: fate === "accepted" ? outcomeOf(call) : fate,
    ...defined({
      event,
      delivery_id: call?.deliveryId,
      reason: reason ?? call?.error ?? call?.deliveryError,
    }),
  };
}

/** One that failed before any effect lost its place to its sender's next try. */
function outcomeOf(call: WebhookCall | undefined): IncomingCall["outcome"] {
  if (call === undefined) return "failed";
  return call.status === "accepted" ? "working" : call.status;
}
