import { accessSync, constants, existsSync } from "node:fs";
import { systemClock } from "../../shared/async/clock.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { type Agent, openAgent } from "../../app/compose.ts";
import { isDashboardEnabled } from "../../app/config/dashboard.ts";
import { deliveryBlock } from "../../app/config/delivery.ts";
import { appSignInFault } from "../../app/people/app-sign-in-check.ts";
import { Roster } from "../../people/roster/index.ts";
import { systemReason } from "../../app/config/home.ts";
import { detachedLimit } from "../../app/config/detached.ts";
import { fleetConfig } from "../../app/config/fleet.ts";
import { frontConfig } from "../../app/config/front.ts";
import { jobSettings } from "../../app/config/jobs.ts";
import { loadSettings, type AppSettings, unreadKeys } from "../../app/config/settings.ts";
import { shownStoreUrl } from "../../app/config/store.ts";
import { timeZone } from "../../app/config/timezone.ts";
import { isWebhookEnabled } from "../../app/config/webhook.ts";
import { webhookFaults } from "../../app/background/webhook-check.ts";
import type { ConnectorKind } from "../../app/background/connector.ts";
import { CONNECTORS } from "../../app/background/connectors.ts";
import type { HomeParts } from "../../app/store/home-parts.ts";
import { withHomeParts } from "../../app/store/open-store.ts";
import { counted } from "../../shared/text/counted.ts";
import { checkLine, printJson } from "../terminal/output.ts";
import { EXIT, type Io, writeLines } from "../../app/process/io.ts";
import { searchEngine } from "../../app/web/fetchers.ts";
import { mcpChecks } from "../mcp/mcp.ts";
import { type Check, providerChecks } from "../../app/model-setup/provider-checks.ts";
import { chatChecks } from "./chat-checks.ts";
import { sandboxChecks } from "./sandbox-check.ts";
import { kbCheck } from "./kb-check.ts";
import { databaseChecks } from "./database-check.ts";
import { filesCheck } from "./files-check.ts";
import { personasCheck } from "./personas-check.ts";
import { skillsCheck } from "../skills/skills.ts";

/** `agent doctor`: looks at configuration, store and provider, and says what is wrong and what to do. */
export async function doctor(io: Io, { json }: { readonly json: boolean }): Promise<number> {
  const checks: Check[] = [];
  const show = async (check: Check): Promise<void> => {
    // What keeps the host from opening is met again by what needs it.
    if (!check.ok && checks.some(({ text }) => text === check.text)) return;
    checks.push(check);
    if (!json) await writeLines(io.stdout, checkLine(check));
  };
  await show({ name: "node", ok: true, text: `${process.versions.node} on ${io.platform}` });
  const settings = await loadSettings(io.env, io.cwd, io.set).catch((thrown: unknown) => toHostError(thrown));
  if (settings instanceof Error) await show({ name: "config", ok: false, text: settings.message });
  else {
    await show(configCheck(settings));
    await show(filesCheck(settings, io.platform));
    for await (const check of databaseChecks(settings)) await show(check);
    for await (const check of storeChecks(io)) await show(check);
    for await (const check of kbCheck(settings)) await show(check);
    for await (const check of sandboxChecks(io)) await show(check);
    await show(await serversCheck(io, settings));
    for await (const check of orFailure("skills", () => one(skillsCheck(io)))) await show(check);
    await show(webCheck(settings));
    for await (const check of orFailure("personas", () => one(personasCheck(io)))) await show(check);
    for await (const check of orFailure("chat", () => chatChecks(settings))) await show(check);
    for await (const check of orFailure("mcp", () => mcpChecks(io))) await show(check);
    for await (const check of providerChecks(settings, io.platform)) await show(check);
  }
  if (json) await printJson(io, checks);
  return checks.every(({ ok }) => ok) ? EXIT.completed : EXIT.failed;
}

async function* one(check: Promise<Check>): AsyncGenerator<Check, void> {
  yield await check;
}

/** The checks, and as one that failed what kept them from being made. */
async function* orFailure(name: string, checks: () => AsyncIterable<Check>): AsyncGenerator<Check, void> {
  try {
    yield* checks();
  } catch (thrown) {
    yield { name, ok: false, text: toHostError(thrown).message };
  }
}

/** Checks the search engine. Its absence is a failure only when one is configured. */
function webCheck(settings: AppSettings): Check {
  const choice = searchEngine(systemClock, settings);
  if (choice.engine !== undefined)
    return { name: "web", ok: true, text: `searches with ${choice.engine.name}` };
  return { name: "web", ok: settings.blocks.web?.search === undefined, text: choice.remedy };
}

function configCheck(settings: AppSettings): Check {
  const { paths, policy, config } = settings;
  const where = existsSync(paths.config) ? paths.config : `${paths.config} (not there: defaults)`;
  try {
    if (existsSync(paths.home)) accessSync(paths.home, constants.W_OK);
  } catch (cause) {
    return { name: "config", ok: false, text: `${paths.home} cannot be written: ${systemReason(cause)}` };
  }
  const strange = unreadKeys(config).map(({ path }) => path);
  const unread = strange.length === 0 ? "" : `; nothing here reads ${strange.join(", ")}`;
  return { name: "config", ok: true, text: `${where}; approvals: ${policy.approvals.mode}${unread}` };
}

/** Checks the settings of `agent gateway` and of schedules. A host that serves nothing is not broken. */
async function serversCheck(io: Io, settings: AppSettings): Promise<Check> {
  try {
    const zone = timeZone(settings);
    jobSettings(settings);
    detachedLimit(settings);
    frontConfig(settings, {});
    fleetConfig(settings);
    const enabled = CONNECTORS.filter((kind) => kind.isEnabled(settings));
    for (const kind of enabled) kind.check(settings);
    const lookedThrough = ({ texts }: HomeParts) => Promise.resolve(webhookFaults(settings, texts));
    const faults = isWebhookEnabled(settings) ? await withHomeParts(io, settings, lookedThrough) : [];
    if (faults.length > 0) return { name: "gateway", ok: false, text: faults.join(" ") };
    const isOff = (kind: ConnectorKind): boolean => kind.offBecause?.(settings) !== undefined;
    const namesOf = (kinds: readonly ConnectorKind[]): string => kinds.map(({ name }) => name).join(", ");
    const serves = namesOf(enabled.filter((kind) => !isOff(kind))) || "nothing";
    const off = namesOf(enabled.filter(isOff));
    const text = `would serve ${serves}${off === "" ? "" : `, not ${off}`}; schedules are meant in ${zone}`;
    return { name: "gateway", ok: true, text };
  } catch (thrown) {
    return { name: "gateway", ok: false, text: toHostError(thrown).message };
  }
}

async function* storeChecks(io: Io): AsyncGenerator<Check, void> {
  try {
    await using agent = await openAgent(io, { resident: false });
    const records = await agent.host.list({ limit: 200, offset: 0 });
    const damaged = records.filter((record) => record.damaged).map(({ id }) => id);
    if (damaged.length > 0) {
      const text = `damaged sessions: ${damaged.join(", ")}. \`agent sessions export\` shows what can be read of them.`;
      yield { name: "store", ok: false, text };
      return;
    }
    const many = records.length === 200 ? "200 sessions or more" : counted(records.length, "session");
    const { paths, store } = agent.settings;
    const where = store.url === undefined ? paths.home : shownStoreUrl(store.url);
    yield { name: "store", ok: true, text: `${where}, ${many}` };
    yield* appChecks(agent);
  } catch (thrown) {
    const { code, message } = toHostError(thrown);
    yield { name: code === "config_invalid" ? "config" : "store", ok: false, text: message };
  }
}

/** Checks that those who may use the members' app can sign in there; nothing is said of a home without a dashboard. */
async function* appChecks({ host, settings, store }: Agent): AsyncGenerator<Check, void> {
  if (!isDashboardEnabled(settings)) return;
  const roster = new Roster(store.records, host.services);
  if (await roster.isEmpty()) return;
  const fault = await appSignInFault(roster, deliveryBlock(settings, ["sms"]) !== undefined);
  yield { name: "app", ok: fault === undefined, text: fault ?? "members sign in at /app, by text" };
}
