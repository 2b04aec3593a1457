import { localTime } from "../../shared/text/local-time.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Delivery } from "../../automation/delivery/index.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import type { WebhookCall } from "../../automation/webhook/index.ts";
import { withServices } from "../with-services.ts";
import { defined } from "../../shared/json/defined.ts";
import { fieldLines, printJson } from "../terminal/output.ts";
import { type Io, write } from "../../app/process/io.ts";

interface DeliveryQuery {
  readonly json: boolean;
  readonly limit: number;
  readonly route?: string;
  readonly failed: boolean;
}

/** `agent webhook deliveries`: what was accepted, what became of it, and what went out or could not. */
export function listDeliveries(io: Io, { json, limit, route, failed }: DeliveryQuery): Promise<void> {
  return withServices(io, async ({ calls, outbox }) => {
    const taken = await calls.list({ limit, ...defined({ parent: route }) });
    const shownCalls = taken.filter((call) => !failed || call.status === "failed");
    const sent =
      route === undefined
        ? await outbox.list({ limit, ...defined({ status: failed ? ("failed" as const) : undefined }) })
        : [];
    if (json)
      return await printJson(io, {
        received: shownCalls.map((call) => callJson(call)),
        sent: sent.map((each) => deliveryJson(each)),
      });
    const lines = [
      shownCalls.length === 0 ? "Nothing was received.\n" : "Received:\n",
      ...shownCalls.map(callLine),
      sent.length === 0 ? "" : "Sent:\n",
      ...sent.map(deliveryLine),
    ];
    await write(io.stdout, lines.join(""));
  });
}

function callLine({
  acceptedAt,
  status,
  deliveryError,
  error = deliveryError,
  ...call
}: WebhookCall): string {
  const text = `${call.route}  ${call.event}  ${call.deliveryId}  ${error ?? call.response ?? ""}`;
  return `  ${localTime(acceptedAt)}  ${status.padEnd(9)}  ${forTerminalLine(text).slice(0, 160)}\n`;
}

const deliveryLine = ({ id, createdAt, status, target, attempts, error }: Delivery): string =>
  `  ${localTime(createdAt)}  ${status.padEnd(9)}  ${forTerminalLine(`${target.kind}  tries ${attempts}  ${id}  ${error ?? ""}`).slice(0, 200)}\n`;

/** Writes a moment: as JSON has it, or as people do. */
type TimeText = (at: number) => string;

const isoTime: TimeText = (at) => new Date(at).toISOString();

const callJson = (call: WebhookCall, time = isoTime): Record<string, unknown> => ({
  delivery_id: call.deliveryId,
  route: call.route,
  event: call.event,
  status: call.status,
  accepted_at: time(call.acceptedAt),
  ended_at: call.endedAt === undefined ? null : time(call.endedAt),
  session_id: call.direct ? null : call.sessionId,
  callback_url: call.callbackUrl ?? null,
  response: call.response ?? null,
  error: call.error ?? null,
  delivery_error: call.deliveryError ?? null,
});

const deliveryJson = ({ target, source, ...sent }: Delivery, time = isoTime): Record<string, unknown> => ({
  id: sent.id,
  target: [target.kind, target.chatId, target.threadId].filter((part) => part !== undefined).join(":"),
  source: `${source.kind}:${source.id}`,
  status: sent.status,
  attempts: sent.attempts,
  error: sent.error ?? null,
  created_at: time(sent.createdAt),
  ended_at: sent.endedAt === undefined ? null : time(sent.endedAt),
  text: sent.text,
});

/** `agent webhook deliveries show`: one of either kind, whole. */
export function showDelivery(
  io: Io,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<void> {
  const time = json ? isoTime : localTime;
  return withServices(io, async ({ calls, outbox }) => {
    const sent = await outbox.get(id);
    const call =
      sent === undefined
        ? (await calls.list({ limit: 10_000 })).find(({ deliveryId }) => deliveryId === id)
        : undefined;
    const value = sent === undefined ? call && callJson(call, time) : deliveryJson(sent, time);
    if (value === undefined)
      throw new HostError(
        "not_found",
        `There is no delivery ${id}. \`agent webhook deliveries list\` shows the newest.`,
      );
    if (json) await printJson(io, value);
    else await write(io.stdout, fieldLines(value));
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
