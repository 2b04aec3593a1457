import { randomBytes } from "node:crypto";
import { HostError } from "../../shared/errors/host-error.ts";
import { commaList } from "../../shared/text/comma-list.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { ROUTE_NAME, type Subscriptions, type WebhookSettings } from "../../automation/webhook/index.ts";
import { testWebhook } from "../../app/background/test-webhook.ts";
import { routeUrl } from "../../app/background/webhook-routes.ts";
import { checkedWebhookSettings, checkSubscription } from "../../app/background/webhook-check.ts";
import { makeHome } from "../../app/config/home.ts";
import { loadSettings, type AppSettings } from "../../app/config/settings.ts";
import { isWebhookEnabled } from "../../app/config/webhook.ts";
import { withHomeParts } from "../../app/store/open-store.ts";
import { subscriptionFile } from "../../app/background/subscription-file.ts";
import { defined } from "../../shared/json/defined.ts";
import type { RouteFlags } from "./subscribe-flags.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";

interface Place {
  readonly settings: AppSettings;
  readonly webhook: WebhookSettings;
}

/** The way to switch the connector on. */
export const SWITCH_ON =
  "Set WEBHOOK_ENABLED=true and a WEBHOOK_SECRET of 16 or more characters in the agent's .env file, and start `agent gateway`";

/** @throws HostError `config_invalid` when the connector is off: a route nobody serves helps nobody */
async function place(io: Io): Promise<Place> {
  const settings = await loadSettings(io.env, io.cwd);
  if (!isWebhookEnabled(settings))
    throw new HostError("config_invalid", `The webhook connector is off. ${SWITCH_ON}, and try again.`);
  makeHome(settings.paths);
  return { settings, webhook: checkedWebhookSettings(settings) };
}

const SECRET_BYTES = 32;
const PREVIEW = 80;

/** `agent webhook subscribe`: makes a route, or changes it and keeps its secret; it is live at once. */
export async function subscribe(io: Io, { name: given, ...flags }: RouteFlags): Promise<void> {
  const { settings, webhook } = await place(io);
  const name = routeName(given);
  if (webhook.routes.has(name)) {
    throw new HostError(
      "conflict",
      `${name} is a route of config.yaml, which wins over subscriptions. Choose another name.`,
    );
  }
  let told = "";
  await withHomeParts(io, settings, ({ texts }) =>
    subscriptionFile(texts).change((known) => {
      const before = known[name];
      const route = subscription(name, { flags, before });
      checkSubscription(name, route, { settings, webhook });
      told = subscribed(name, { route, created: before === undefined, webhook });
      return { ...known, [name]: route };
    }),
  );
  await write(io.stdout, told);
}

function routeName(given: string): string {
  const name = given.trim().toLowerCase().replaceAll(/\s+/g, "-");
  if (ROUTE_NAME.test(name)) return name;
  throw new HostError(
    "command_usage",
    `${JSON.stringify(given)} is no name for a route: use letters, digits, - and _.`,
  );
}

function subscription(
  name: string,
  {
    flags,
    before,
  }: { readonly flags: Omit<RouteFlags, "name">; readonly before: Subscriptions[string] | undefined },
): Subscriptions[string] {
  const { events, prompt, skills, secret, deliver, deliverOnly, description } = flags;
  const made = {
    description: `Subscription ${name}, made by command`,
    events: [],
    secret: randomBytes(SECRET_BYTES).toString("base64url"),
    prompt: "",
    skills: [],
    deliver: "log",
    created_at: new Date().toISOString(),
  };
  return {
    ...made,
    ...before,
    ...defined({
      description,
      events: listIf(events),
      secret,
      prompt,
      skills: listIf(skills),
      deliver,
      deliver_only: deliverOnly,
      deliver_extra: extraOf(flags, before),
    }),
  };
}

/** The chat that is named now, or was; a chat of another target is none of the new one's. */
function extraOf(
  { deliver, deliverChatId }: Pick<RouteFlags, "deliver" | "deliverChatId">,
  before: Subscriptions[string] | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const known = before?.["deliver_extra"];
  const kept = isJsonObject(known) ? known : {};
  const { chat_id: _chat, thread_id: _thread, message_thread_id: _topic, ...elsewhere } = kept;
  if (deliverChatId !== undefined) return { ...elsewhere, chat_id: deliverChatId };
  return deliver === undefined || deliver === before?.["deliver"] ? undefined : elsewhere;
}

const listIf = (list: string | undefined): readonly string[] | undefined =>
  list === undefined ? undefined : commaList(list);

function subscribed(
  name: string,
  {
    route,
    created,
    webhook,
  }: { readonly route: Subscriptions[string]; readonly created: boolean; readonly webhook: WebhookSettings },
): string {
  const prompt = String(route["prompt"]);
  const direct = route["deliver_only"] === true;
  const lines = [
    `${created ? "Created" : "Updated"} webhook subscription: ${name}`,
    `  URL:     ${routeUrl(webhook, name)}`,
    `  Secret:  ${String(route["secret"])}`,
    `  Events:  ${shownEvents(route)}`,
    `  Deliver: ${String(route["deliver"])}`,
    ...(direct ? ["  Mode:    direct delivery, without the agent"] : []),
    ...(prompt === "" ? [] : [`  ${direct ? "Message" : "Prompt"}:  ${prompt.slice(0, PREVIEW)}`]),
    "",
    "Give the URL and the secret to the sending side, and let it sign with HMAC-SHA256.",
    `Try it: agent webhook test ${name}`,
    "It is live while `agent gateway` runs; nothing needs to be restarted.",
  ];
  return `${lines.map((line) => forTerminalLine(line)).join("\n")}\n`;
}

const shownEvents = (route: Subscriptions[string]): string => {
  const { events } = route;
  return Array.isArray(events) && events.length > 0 ? events.join(", ") : "(all)";
};

/** `agent webhook remove`, also while the connector is off. @throws HostError `not_found` */
export async function removeSubscription(io: Io, { name: given }: { readonly name: string }): Promise<void> {
  const settings = await loadSettings(io.env, io.cwd);
  const name = routeName(given);
  await withHomeParts(io, settings, ({ texts }) =>
    subscriptionFile(texts).change(({ [name]: removed, ...rest }) => {
      if (removed === undefined) throw notSubscribed(name);
      return rest;
    }),
  );
  await write(io.stdout, `Removed webhook subscription: ${name}\n`);
}

const notSubscribed = (name: string): HostError =>
  new HostError("not_found", `No subscription named '${name}'. Routes of config.yaml are changed there.`);

/** `agent webhook test`: sends a signed event to the running gateway and prints its answer. */
export async function testSubscription(
  io: Io,
  { name: given, payload }: { readonly name: string; readonly payload?: string },
): Promise<number> {
  const { settings, webhook } = await place(io);
  const name = routeName(given);
  const known = await withHomeParts(io, settings, ({ texts }) =>
    Promise.resolve(subscriptionFile(texts).load()),
  );
  const route = known[name];
  if (route === undefined) throw notSubscribed(name);
  const { status, text } = await testWebhook(webhook, { name, secret: route["secret"], payload });
  await write(io.stdout, `Response (${status}): ${forTerminal(text)}\n`);
  return status < 300 ? EXIT.completed : EXIT.failed;
}
