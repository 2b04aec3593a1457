import type { BackgroundServices } from "../../app/background/background-services.ts";
import { type Io, write, writeLines } from "../../app/process/io.ts";
import type { Delivery } from "../../automation/delivery/index.ts";
import {
  type Address,
  encodeAddress,
  encodeSentDetail,
  encodeSentEvent,
  OUTGOING_EVENTS,
  sourceOf,
} from "../../automation/outgoing/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { commaList } from "../../shared/text/comma-list.ts";
import { localTime } from "../../shared/text/local-time.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { fieldLines, printJson } from "../terminal/output.ts";
import { withServices } from "../with-services.ts";

interface OneAddress {
  readonly id: string;
}

/** What is given of an address. */
interface AddressFlags {
  readonly events?: string;
  readonly text?: "on" | "off";
  readonly description?: string;
}

const withEvents = (io: Io, work: (events: BackgroundServices["events"]) => Promise<void>): Promise<void> =>
  withServices(io, ({ events }) => work(events));

/** `agent webhook out add`: an address with a secret of its own, which is printed once. */
export function addAddress(
  io: Io,
  { url, events, text, description = "" }: AddressFlags & { readonly url: string },
): Promise<void> {
  return withEvents(io, async ({ addresses }) => {
    const chosen = { events: commaList(events ?? ""), includeText: text === "on", description };
    const address = await addresses.add({ url, ...chosen });
    const lines = [
      `Events are sent to ${address.url}`,
      `  Id:      ${address.id}`,
      `  Secret:  ${address.secret}`,
      `  Events:  ${eventsText(address)}${address.include_text ? ", with their text" : ""}`,
      "",
      "The secret is not shown again. The other side checks signatures of Standard Webhooks with it.",
      `Try it: agent webhook out test ${address.id}`,
      "Events are sent while `agent gateway` runs; those from before are sent when it starts.",
    ];
    await write(io.stdout, `${lines.map((line) => forTerminalLine(line)).join("\n")}\n`);
  });
}

/** `agent webhook out list`: all addresses without their secrets. */
export function listAddresses(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  return withEvents(io, async ({ addresses, health }) => {
    const found = await Promise.all(
      addresses.list().map(async (address) => encodeAddress(address, await health.failure(address.id))),
    );
    if (json) return await printJson(io, found);
    if (found.length === 0)
      return await write(io.stdout, "Events are sent nowhere. Add an address: agent webhook out add <url>\n");
    for (const { id, url, events, enabled, off_reason, failing_since, last_error } of found) {
      const failing =
        failing_since === undefined ? "on" : `failing since ${failing_since}: ${last_error ?? ""}`;
      const state = enabled ? failing : `off${off_reason === undefined ? "" : `: ${off_reason}`}`;
      await write(
        io.stdout,
        `${forTerminalLine(`${id}  ${url}  ${eventsText({ events })}  ${state}`).slice(0, 300)}\n`,
      );
    }
  });
}

/** `agent webhook out change`: what is named, and nothing else. */
export function changeAddress(
  io: Io,
  { id, url, events, text, description }: AddressFlags & OneAddress & { readonly url?: string },
): Promise<void> {
  return withEvents(io, async ({ addresses }) => {
    const includeText = text === undefined ? undefined : text === "on";
    const patch = defined({
      url,
      events: events === undefined ? undefined : commaList(events),
      includeText,
      description,
    });
    if (Object.keys(patch).length === 0)
      throw new HostError("command_usage", "Name what changes: --url, --events, --text or --description.");
    const address = await addresses.change(id, patch);
    await writeLines(io.stdout, `${id} is told of: ${eventsText(address)}\n`);
  });
}

/** `agent webhook out on` and `off`. */
export const turnAddress =
  (enabled: boolean) =>
  (io: Io, { id }: OneAddress): Promise<void> =>
    withEvents(io, async (events) => {
      await events.turn(id, enabled);
      await writeLines(
        io.stdout,
        `${id} is ${enabled ? "on: it is told of what happens from now on" : "off"}.\n`,
      );
    });

/** `agent webhook out secret`: another secret, which is printed once. */
export function renewSecret(io: Io, { id }: OneAddress): Promise<void> {
  return withEvents(io, async ({ addresses }) => {
    const { secret } = await addresses.renewSecret(id);
    await write(io.stdout, `${secret}\n`);
    await writeLines(io.stderr, "The secret is not shown again; the one before it counts no more.\n");
  });
}

/** `agent webhook out remove`: what was sent stays to be looked at. */
export function removeAddress(io: Io, { id }: OneAddress): Promise<void> {
  return withEvents(io, async (events) => {
    const { url } = await events.remove(id);
    await write(io.stdout, `${forTerminalLine(`Removed ${id}: nothing is sent to ${url} any more.`)}\n`);
  });
}

/** `agent webhook out test`: sends a test event now, and says what was answered. */
export function testAddress(io: Io, { id }: OneAddress): Promise<void> {
  return withEvents(io, async ({ addresses, publisher, outbox }) => {
    const sent = await publisher.test(addresses.get(id));
    await sendNow(io, outbox, sent.id);
  });
}

/** `agent webhook out sent`: the newest events first, with what became of them. */
export function listSent(
  io: Io,
  query: {
    readonly json: boolean;
    readonly limit: number;
    readonly failed: boolean;
    readonly address?: string;
  },
): Promise<void> {
  return withEvents(io, async ({ outbox }) => {
    const { json, limit, failed, address } = query;
    const status = failed ? ("failed" as const) : undefined;
    const source = address === undefined ? undefined : sourceOf(address);
    const { values } = await outbox.page({ limit, ...defined({ status, source }) });
    if (json) return await printJson(io, values.map(encodeSentEvent));
    if (values.length === 0) return await write(io.stdout, "Nothing was sent.\n");
    for (const each of values) await write(io.stdout, sentLine(each));
  });
}

/** `agent webhook out show`: an address, or an event that was sent, with each try. */
export function showOutgoing(io: Io, { id, json }: OneAddress & { readonly json: boolean }): Promise<void> {
  return withEvents(io, async ({ addresses, health, outbox }) => {
    const address = addresses.find(id);
    const sent = address === undefined ? await outbox.get(id) : undefined;
    if (address === undefined && sent === undefined) throw unknownId(id);
    const shown =
      address === undefined
        ? sent && encodeSentDetail(sent)
        : encodeAddress(address, await health.failure(id));
    if (json) await printJson(io, shown);
    else await write(io.stdout, fieldLines({ ...shown }));
  });
}

/** `agent webhook out redeliver`: sends an event again, under the same id, and says what was answered. */
export function redeliverEvent(io: Io, { id }: OneAddress): Promise<void> {
  return withEvents(io, async ({ outbox }) => {
    await outbox.redeliver(id);
    await sendNow(io, outbox, id);
  });
}

/** `agent webhook out events`: what an address can be told of. */
export async function listEventTypes(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  if (json) return await printJson(io, OUTGOING_EVENTS);
  for (const [type, about] of Object.entries(OUTGOING_EVENTS))
    await write(io.stdout, `${type.padEnd(18)}  ${about}\n`);
}

async function sendNow(io: Io, outbox: BackgroundServices["events"]["outbox"], id: string): Promise<void> {
  await outbox.pollOnce();
  await outbox.idle();
  const delivery = await outbox.get(id);
  const answer = delivery?.tries?.at(-1)?.answer;
  if (delivery?.status === "delivered")
    return await write(
      io.stdout,
      `${forTerminalLine(`Delivered ${id}: ${answer?.status ?? ""} ${answer?.text ?? ""}`.trim())}\n`,
    );
  const later = delivery?.status === "pending" ? " It is tried again while `agent gateway` runs." : "";
  throw new HostError("delivery_failed", `Not delivered: ${delivery?.error ?? "it is on its way"}${later}`);
}

const sentLine = ({ id, createdAt, status, subject = "", target, attempts, error = "" }: Delivery): string =>
  `${localTime(createdAt)}  ${status.padEnd(9)}  ${forTerminalLine(`${subject}  ${target.chatId ?? ""}  tries ${attempts}  ${id}  ${error}`).slice(0, 200)}\n`;

const eventsText = ({ events }: Pick<Address, "events">): string =>
  events.length === 0 ? "(all)" : events.join(", ");

const unknownId = (id: string): HostError =>
  new HostError(
    "not_found",
    `There is no address and no event ${JSON.stringify(id.slice(0, 100))}. \`agent webhook out list\` and \`agent webhook out sent\` show them.`,
  );
