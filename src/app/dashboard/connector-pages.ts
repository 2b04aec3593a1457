import type { ConnectorControl, ConnectorRow } from "../../dashboard/index.ts";
import { HostError, messageOf, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { BackgroundServices } from "../background/background-services.ts";
import { API_SERVER_CONNECTOR } from "../background/api-server.ts";
import type { ConnectorKind } from "../background/connector.ts";
import { runningServers } from "../background/running-servers.ts";
import { WEBHOOK_CONNECTOR } from "../background/webhook.ts";
import { configuredChats, reasonOff } from "../chat/chat-account.ts";
import { connectorsOf } from "../chat/connector-wire.ts";
import {
  addressOn,
  answeredAccount,
  askedSecrets,
  findPlatform,
  isSetUp,
  knownSecrets,
  type PlatformAnswers,
  saveSecrets,
  senderOn,
} from "../chat/platform-setup.ts";
import { fixedBecause, switchConnector } from "../chat/switch-connector.ts";
import { sendTestMessage } from "../chat/test-message.ts";
import { chatTraffic } from "../chat/traffic.ts";
import { tryChat } from "../chat/try-chat.ts";
import type { Agent } from "../compose.ts";

/** The parts of the process that the page of connectors works with. */
export interface ConnectorPageParts {
  readonly agent: Agent;
  readonly services: BackgroundServices;
  /** Lets changed settings take effect at once, where this process follows them. */
  readonly look: () => Promise<void>;
}

type Platform = NonNullable<ReturnType<typeof findPlatform>>;

const SERVERS = [API_SERVER_CONNECTOR, WEBHOOK_CONNECTOR];

/** The connectors of a home, for the dashboard. */
export function connectorPages(parts: ConnectorPageParts): ConnectorControl {
  const { agent, services, look } = parts;
  const { live, store, host } = agent;
  const { records } = store;
  return {
    async list() {
      const chats = await connectorsOf(() => live.current, records).list();
      const running = await runningServers(records);
      return [
        ...chats.map((chat) => ({
          ...chat,
          kind: "chat" as const,
          enabled: chat.state !== "disabled",
          ready: isSetUp(platformNamed(chat.platform), live.current),
        })),
        ...SERVERS.map((kind) => serverRow(kind, running.get(kind.platform)?.since, live)),
        ownRow(running.get("dashboard")?.since),
      ];
    },
    async traffic() {
      const chats = await connectorsOf(() => live.current, records).list();
      const on = chats.filter(({ state }) => state !== "disabled").map(({ platform }) => platform);
      const { clock } = host.services;
      const traffic = await chatTraffic(new Set(on), { records, clock, outbox: services.outbox });
      return traffic.map(({ platform, in: came, out: went }) => ({
        platform,
        in: [...came],
        out: [...went],
      }));
    },
    setup: (name) => Promise.resolve(setupOf(platformNamed(name), agent)),
    setUp: (name, answers) => setUp(platformNamed(name), answers, parts),
    async turn(name, enabled) {
      const before = await switchConnector(live, name, enabled);
      await look();
      return before;
    },
    test: (name, chat) =>
      sendTestMessage(services, { platform: platformNamed(name).name, chat }, host.services),
  };
}

/** @throws HostError `not_found` */
function platformNamed(name: string): Platform {
  const found = findPlatform(name);
  if (found !== undefined) return found;
  throw new HostError("not_found", `There is no chat platform ${JSON.stringify(name.slice(0, 100))}.`);
}

/** The server of the page itself. */
const ownRow = (since: number | undefined): ConnectorRow => ({
  platform: "dashboard",
  title: "Dashboard",
  kind: "server",
  state: "connected",
  enabled: true,
  ready: true,
  fixed: "It serves this page.",
  ...defined({ since: since === undefined ? undefined : since / 1000 }),
});

function serverRow(
  kind: ConnectorKind,
  since: number | undefined,
  { current, env }: Agent["live"],
): ConnectorRow {
  const { name, platform } = kind;
  const enabled = kind.isEnabled(current);
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const base = { platform, title, kind: "server" as const, enabled, ready: true };
  const fixed = defined({ fixed: fixedBecause(platform, env) });
  if (since !== undefined) return { ...base, state: "connected", since: since / 1000, ...fixed };
  if (!enabled) return { ...base, state: "disabled", ...fixed };
  const reason = faultOf(() => kind.check(current)) ?? "No gateway runs it: start `agent gateway`.";
  return { ...base, state: "off", reason, ...fixed };
}

function faultOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

function setupOf(
  platform: Platform,
  { live: { current } }: Agent,
): Awaited<ReturnType<ConnectorControl["setup"]>> {
  const known = knownSecrets(platform, current);
  const { name, title, from } = platform;
  const address = addressOn(platform, current);
  const sender = senderOn(platform, { from: undefined }, current);
  return {
    platform: name,
    title,
    secrets: askedSecrets(platform).map(({ name: secret, variable, about }) => ({
      variable,
      about,
      known: known[secret] !== undefined,
    })),
    base_url: { value: address ?? "", needed: address === undefined },
    ...defined({ from: from === undefined ? undefined : { about: from, value: sender ?? "" } }),
  };
}

async function setUp(
  platform: Platform,
  wish: Parameters<ConnectorControl["setUp"]>[1],
  { agent: { live }, look }: ConnectorPageParts,
): ReturnType<ConnectorControl["setUp"]> {
  const answers = answersOf(platform, wish);
  const baseUrl = checkedAddress(platform, answers.baseUrl ?? addressOn(platform, live.current));
  // What is kept goes nowhere but where it was meant for, whoever sits at the page.
  const isElsewhere = baseUrl !== addressOn(platform, live.current);
  const known = { ...(isElsewhere ? {} : knownSecrets(platform, live.current)), ...answers.secrets };
  const missing = askedSecrets(platform).find(({ name }) => known[name] === undefined);
  if (missing !== undefined)
    throw invalid(`${missing.variable} is missing: it is ${missing.about}.`, missing.variable);
  if (platform.from !== undefined && senderOn(platform, answers, live.current) === undefined)
    throw invalid(`Say who sends: it is ${platform.from}.`, "from");
  const account = answeredAccount(platform, { ...answers, baseUrl }, live.current);
  const tried = await tryChat(platform, account, live.env).then(
    (bot) => ({ bot }),
    (thrown: unknown) => ({ fault: without(messageOf(thrown), Object.values(answers.secrets)) }),
  );
  const variables = platform.secrets.filter(({ name }) => answers.secrets[name] !== undefined);
  const changed = {
    enabled: true,
    variables: variables.map(({ variable }) => variable),
    ...defined({ base_url: answers.baseUrl, from: answers.from }),
  };
  if ("fault" in tried && !wish.save_anyway) return { saved: false, ...tried, changed };
  const changes = await saveSecrets(platform, { account, answers }, live.current).catch(refused);
  await live.change(changes).catch(refused);
  await live.reloadEnvironment();
  await look();
  const note = noteOn(platform, variables, { live, answers });
  return { saved: true, ...tried, changed, ...defined({ note }) };
}

/** What still keeps people from writing there. */
function noteOn(
  platform: Platform,
  variables: Platform["secrets"],
  { live, answers }: { readonly live: Agent["live"]; readonly answers: PlatformAnswers },
): string | undefined {
  const shadowed = variables.find(({ name, variable }) => live.env[variable] !== answers.secrets[name]);
  if (shadowed !== undefined)
    return `${shadowed.variable} is set in the environment of this process too, with another value, which goes before .env: unset it there.`;
  const why = reasonOff(configuredChats(live.current).find((chat) => chat.platform.name === platform.name));
  return why === undefined ? undefined : `Nobody can write on ${platform.title} yet: ${why}`;
}

/** The answers by the names of the platform's secrets. @throws HostError `invalid_params` for any other variable */
function answersOf(
  platform: Platform,
  { secrets, base_url: baseUrl, from }: Parameters<ConnectorControl["setUp"]>[1],
): PlatformAnswers {
  const own = new Map(askedSecrets(platform).map(({ variable, name }) => [variable, name]));
  const named = Object.entries(secrets).map(([variable, value]) => {
    const name = own.get(variable);
    if (name === undefined)
      throw invalid(
        `${JSON.stringify(variable)} is no variable of ${platform.title}. It has ${[...own.keys()].join(", ")}.`,
        variable,
      );
    return [name, value] as const;
  });
  return {
    secrets: Object.fromEntries(named.filter(([, value]) => value !== "")),
    baseUrl: baseUrl || undefined,
    from: from || undefined,
  };
}

/** @throws HostError `invalid_params` */
function checkedAddress({ server, title }: Platform, address: string | undefined): string {
  const protocols = server === "smtp" ? ["smtp:", "smtps:"] : ["http:", "https:"];
  const url = address === undefined ? null : URL.parse(address);
  if (address !== undefined && url !== null && protocols.includes(url.protocol) && url.hostname !== "")
    return address;
  throw invalid(`Say where ${title} is, as ${protocols.at(-1) ?? ""}//….`, "base_url");
}

const invalid = (message: string, subject: string): HostError =>
  new HostError("invalid_params", message, { details: { subject } });

/** What cannot be written is wrong with what was sent, not with this program. */
function refused(thrown: unknown): never {
  const error = toHostError(thrown);
  throw error.code === "config_invalid" ? invalid(error.message, error.details.subject ?? "secrets") : error;
}

/** A text without what was typed unseen. */
const without = (text: string, secrets: readonly string[]): string =>
  secrets.filter((secret) => secret !== "").reduce((shown, secret) => shown.replaceAll(secret, "…"), text);
