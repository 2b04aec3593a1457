import { HostError } from "../../shared/errors/host-error.ts";
import type { Delivery } from "../../automation/delivery/index.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import type { WebhookCall } from "../../automation/webhook/index.ts";
import { withServices } from "../with-services.ts";
import { defined } from "../../shared/json/defined.ts";
import { printJson } from "../terminal/output.ts";
import { type Io, write } from "../../app/process/io.ts";

/** `agent webhook deliveries`: what was accepted, what became of it, and what went out or could not. */
export function listDeliveries(
  io: Io,
  {
    json,
    limit,
    route,
    failed,
  }: { readonly json: boolean; readonly limit: number; readonly route?: string; readonly failed: boolean },
): Promise<void> {
  return withServices(io, async ({ calls, outbox }) => {
    const taken = await calls.list({ limit, ...defined({ route }) });
    const shownCalls = taken.filter((call) => !failed || call.status === "failed");
    const sent =
      route === undefined
        ? await outbox.list({ limit, ...defined({ status: failed ? ("failed" as const) : undefined }) })
        : [];
    if (json) {
      const value = { received: shownCalls.map(callJson), sent: sent.map(deliveryJson) };
      return await printJson(io, value);
    }
    const lines = [
      shownCalls.length === 0 ? "Nothing was received.\n" : "Received:\n",
      ...shownCalls.map(callLine),
      sent.length === 0 ? "" : "Sent:\n",
      ...sent.map(deliveryLine),
    ];
    await write(io.stdout, lines.join(""));
  });
}

const time = (at: number): string => new Date(at).toISOString().slice(0, 19);

const callLine = ({
  acceptedAt,
  status,
  route,
  event,
  deliveryId,
  deliveryError,
  error = deliveryError,
  response,
}: WebhookCall): string =>
  `  ${time(acceptedAt)}  ${status.padEnd(9)}  ${forTerminalLine(`${route}  ${event}  ${deliveryId}  ${error ?? response ?? ""}`).slice(0, 160)}\n`;

const deliveryLine = ({ id, createdAt, status, target, attempts, error }: Delivery): string =>
  `  ${time(createdAt)}  ${status.padEnd(9)}  ${forTerminalLine(`${target.kind}  tries ${attempts}  ${id}  ${error ?? ""}`).slice(0, 200)}\n`;

function callJson({
  key: _key,
  acceptedAt,
  deliveryId,
  sessionId,
  callbackUrl,
  endedAt,
  ...call
}: WebhookCall): Record<string, unknown> {
  return {
    delivery_id: deliveryId,
    route: call.route,
    event: call.event,
    status: call.status,
    accepted_at: new Date(acceptedAt).toISOString(),
    ended_at: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    session_id: call.direct ? null : sessionId,
    callback_url: callbackUrl ?? null,
    response: call.response ?? null,
    error: call.error ?? null,
    delivery_error: call.deliveryError ?? null,
  };
}

function deliveryJson({
  id,
  target,
  source,
  status,
  attempts,
  error,
  createdAt,
  endedAt,
  text,
}: Delivery): Record<string, unknown> {
  return {
    id,
    target: [target.kind, target.chatId, target.threadId].filter((part) => part !== undefined).join(":"),
    source: `${source.kind}:${source.id}`,
    status,
    attempts,
    error: error ?? null,
    created_at: new Date(createdAt).toISOString(),
    ended_at: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    text,
  };
}

/** `agent webhook deliveries show`: one of either kind, whole. */
export function showDelivery(io: Io, { id }: { readonly id: string }): Promise<void> {
  return withServices(io, async ({ calls, outbox }) => {
    const sent = await outbox.get(id);
    const call =
      sent === undefined
        ? (await calls.list({ limit: 10_000 })).find(({ deliveryId }) => deliveryId === id)
        : undefined;
    const value = sent === undefined ? call && callJson(call) : deliveryJson(sent);
    if (value === undefined) throw new HostError("not_found", `There is no delivery ${id}.`);
    await write(io.stdout, `${forTerminal(JSON.stringify(value, undefined, 2))}\n`);
  });
}

/** `agent webhook deliveries redeliver`: sends a text again, from the first try on, and waits for that try. */
export function redeliver(io: Io, { id }: { readonly id: string }): Promise<void> {
  return withServices(io, async ({ outbox }) => {
    await outbox.redeliver(id);
    await outbox.pollOnce();
    await outbox.idle();
    const delivery = await outbox.get(id);
    if (delivery?.status === "delivered") return await write(io.stdout, `Delivered ${id}.\n`);
    const later = delivery?.status === "pending" ? " It is tried again while `agent gateway` runs." : "";
    throw new HostError(
      "delivery_failed",
      `Not delivered: ${delivery?.error ?? "it is not there any more"}${later}`,
    );
  });
}
