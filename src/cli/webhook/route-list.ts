import { withHomeParts } from "../../app/store/open-store.ts";
import { defined } from "../../shared/json/defined.ts";
import { counted } from "../../shared/text/counted.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { isWebhookEnabled, webhookAddress } from "../../app/config/webhook.ts";
import { loadSettings } from "../../app/config/settings.ts";
import { type ListedRoute, routeUrl, webhookRoutes } from "../../app/background/webhook-routes.ts";
import { type Io, write, writeLines } from "../../app/process/io.ts";
import { printJson } from "../terminal/output.ts";
import { SWITCH_ON } from "./subscriptions.ts";

/** `agent webhook list`: all routes without their secrets, also while the connector is off. */
export async function listRoutes(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  const settings = await loadSettings(io.env, io.cwd);
  const address = webhookAddress(settings);
  if (!isWebhookEnabled(settings))
    await writeLines(io.stderr, `The webhook connector is off: nothing is served. ${SWITCH_ON}.\n`);
  const { routes, fault } = await withHomeParts(io, settings, ({ texts }) =>
    Promise.resolve(webhookRoutes(settings, texts)),
  );
  if (fault !== undefined) await writeLines(io.stderr, `No route is served: ${forTerminalLine(fault)}\n`);
  if (json) {
    const shown = routes.map(({ name, source, off, fields: { secret: _secret, ...fields } }) => ({
      name,
      source,
      url: routeUrl(address, name),
      ...defined({ off }),
      ...fields,
    }));
    return await printJson(io, shown);
  }
  await write(io.stdout, `${counted(routes.length, "webhook route")}:\n`);
  for (const route of routes) await write(io.stdout, textOf(route, routeUrl(address, route.name)));
  if (!routes.some(({ source }) => source === "subscription"))
    await write(io.stdout, "No webhook subscriptions. Make one: agent webhook subscribe <name>\n");
}

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
