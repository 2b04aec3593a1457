import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { counted } from "../../shared/text/counted.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { isWebhookEnabled, webhookAddress, webhookSettings } from "../../app/config/webhook.ts";
import { platformBlock } from "../../app/config/block.ts";
import { loadSettings, type AppSettings } from "../../app/config/settings.ts";
import { subscriptionFile } from "../../app/background/subscription-file.ts";
import { type Io, write, writeLines } from "../../app/process/io.ts";
import { printJson } from "../terminal/output.ts";
import { SWITCH_ON, urlOf } from "./subscriptions.ts";

/** A route as it is listed, without its secret. */
interface ListedRoute {
  readonly name: string;
  /** Where the route is defined. */
  readonly source: "built in" | "config.yaml" | "subscription";
  /** Why it takes no calls. */
  readonly off?: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** `agent webhook list`: all routes without their secrets, also while the connector is off. */
export async function listRoutes(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  const settings = await loadSettings(io.env, io.cwd);
  const address = webhookAddress(settings);
  if (!isWebhookEnabled(settings))
    await writeLines(io.stderr, `The webhook connector is off: nothing is served. ${SWITCH_ON}.\n`);
  const routes = [...(await staticRoutes(io, settings)), ...subscriptions(settings)];
  if (json) {
    const shown = routes.map(({ name, source, off, fields: { secret: _secret, ...fields } }) => ({
      name,
      source,
      url: urlOf(address, name),
      ...defined({ off }),
      ...fields,
    }));
    return await printJson(io, shown);
  }
  await write(io.stdout, `${counted(routes.length, "webhook route")}:\n`);
  for (const route of routes) await write(io.stdout, textOf(route, urlOf(address, route.name)));
  if (!routes.some(({ source }) => source === "subscription"))
    await write(io.stdout, "No webhook subscriptions. Make one: agent webhook subscribe <name>\n");
}

/** The built-in route, and those of config.yaml as they stand there. */
async function staticRoutes(io: Io, settings: AppSettings): Promise<readonly ListedRoute[]> {
  const { extra } = platformBlock(settings, "webhook");
  const configured = isJsonObject(extra) && isJsonObject(extra["routes"]) ? extra["routes"] : {};
  const written = Object.entries(configured).map(([name, value]): ListedRoute => {
    const fields = isJsonObject(value) ? value : {};
    return {
      name,
      source: "config.yaml",
      fields,
      ...(fields["enabled"] === false ? { off: "enabled: false" } : {}),
    };
  });
  try {
    const { builtInOff: off } = webhookSettings(settings);
    const description = "The agent itself: its prompt is the payload's message";
    const fields = { description, deliver: "the answer, or its callback_url" };
    return [{ name: "agent", source: "built in", fields, ...defined({ off }) }, ...written];
  } catch (thrown) {
    await writeLines(io.stderr, `No route is served: ${forTerminalLine(toHostError(thrown).message)}\n`);
    return written;
  }
}

const subscriptions = ({ paths }: AppSettings): readonly ListedRoute[] =>
  Object.entries(subscriptionFile(paths.home).load()).map(([name, fields]) => ({
    name,
    source: "subscription",
    fields,
  }));

function textOf({ name, source, off, fields }: ListedRoute, url: string): string {
  const { events, description, deliver } = fields;
  const direct = fields["deliver_only"] === true ? " (direct delivery)" : "";
  const from = source === "subscription" ? "" : ` (${source})`;
  const lines = [
    `  • ${name}${from}: ${typeof description === "string" ? description : ""}`,
    ...(off === undefined ? [] : [`    Off:     ${off}`]),
    `    URL:     ${url}`,
    `    Events:  ${Array.isArray(events) && events.length > 0 ? events.join(", ") : "(all)"}`,
    `    Deliver: ${typeof deliver === "string" ? deliver : "log"}${direct}`,
  ];
  return `${lines.map((line) => forTerminalLine(line)).join("\n")}\n`;
}
