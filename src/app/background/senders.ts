import { join } from "node:path";
import { environmentProxies } from "../../shared/net/proxies.ts";
import { ONE_PLACE, type Sender, type Senders, type TargetSources } from "../../automation/delivery/index.ts";
import type { ServerLog } from "../../http/index.ts";
import { guardedFetcher } from "../../providers/fetch/index.ts";
import { CALLBACK_TARGET, callbackSender } from "../../automation/webhook/index.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { type ChatServices, chatTargets } from "../chat/chat-services.ts";
import type { AppSettings } from "../config/settings.ts";
import type { Agent } from "../compose.ts";
import { isWebhookEnabled, webhookSettings } from "../config/webhook.ts";
import { codeHostTool } from "./code-host-tool.ts";
import { platformSenders } from "./platform-senders.ts";
import { localSender, logSender } from "./local-senders.ts";

/** The kinds of targets that can be named. */
export type TargetTable = Pick<TargetSources, "kinds" | "homes">;

/** The senders of this process, by kind of target. */
export interface SenderTable extends TargetTable {
  /** The sender to a kind of target, if there is one at present. */
  readonly sender: Senders;
}

/** @throws HostError `config_invalid` */
export function senderTable(
  agent: Agent,
  { log, chat }: { readonly log: ServerLog | undefined; readonly chat: Pick<ChatServices, "senders"> },
): SenderTable {
  const { paths } = agent.settings;
  const senders = new Map<string, Sender>([
    ["local", localSender(join(paths.home, "jobs"))],
    ["log", logSender(paths.logs, log)],
  ]);
  const callback = callbacks(agent);
  if (callback !== undefined) senders.set(CALLBACK_TARGET, callback);
  const { clock } = agent.host.services;
  const codeHost = codeHostTool({ spawner: agent.spawner, clock }, agent.settings.env);
  const platforms = platformSenders(agent.settings, { clock, codeHost });
  for (const [kind, sender] of platforms.senders) senders.set(kind, sender);
  const homes = new Map(
    chatTargets(agent.settings).flatMap(({ names, home }) => names.map((name) => [name, home])),
  );
  return {
    sender: (kind) => {
      const app = chat.senders.get(kind);
      const robot = homes.get(kind) === undefined ? platforms.senders.get(kind) : undefined;
      return app !== undefined && robot !== undefined ? besideRobot(app, robot) : (app ?? senders.get(kind));
    },
    // Chat platforms come and go while the process runs.
    get kinds() {
      return targetsOf(platforms, agent.live.current).kinds;
    },
    homes: () => targetsOf(platforms, agent.live.current).homes(),
  };
}

/** A platform with an app and with a robot of one group: what names no chat goes to that group. */
const besideRobot = (app: Sender, robot: Sender): Sender => ({
  ...app,
  send: (text, signal) => (text.target.chatId === undefined ? robot : app).send(text, signal),
});

/** The kinds of targets that the settings give. @throws HostError `config_invalid` */
export function targetTable(settings: AppSettings): TargetTable {
  const platforms = platformSenders(settings, { clock: systemClock, codeHost: () => Promise.resolve() });
  return targetsOf(platforms, settings);
}

function targetsOf({ kinds, homes }: ReturnType<typeof platformSenders>, settings: AppSettings): TargetTable {
  const chats = chatTargets(settings);
  const places = chats.flatMap(({ names, place }) =>
    // Its robot has a home where it has none.
    names.map((name) => [name, kinds.has(name) ? { ...place, chat: "home" as const } : place] as const),
  );
  const chatHomes = chats.flatMap(({ names: [kind], home }) => (home === undefined ? [] : [kind]));
  return {
    kinds: new Map([["local", ONE_PLACE], ["log", ONE_PLACE], ...kinds, ...places]),
    homes: () => [...new Set([...chatHomes, ...homes])],
  };
}

const LARGEST_ANSWER = 64 * 1024;
const CALLBACK_MS = 10_000;
/** One's own networks, without those in which clouds keep their metadata. */
const PRIVATE = ["localhost", "127.0.0.0/8", "::1", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"];

/** Callbacks go where callers say: through the one guarded way, without redirects. */
function callbacks({ settings: all, host }: Agent): Sender | undefined {
  if (!isWebhookEnabled(all)) return undefined;
  const { secret, privateCallbacks, callbackHosts } = webhookSettings(all);
  if (secret === undefined) return undefined;
  const { clock } = host.services;
  const allow = privateCallbacks ? [...PRIVATE, ...callbackHosts] : callbackHosts;
  const fetcher = guardedFetcher({ clock, allow, proxies: environmentProxies(all.env) });
  return callbackSender({
    secret,
    clock,
    async post({ url, headers, body, signal }) {
      const limits = { maxBytes: LARGEST_ANSWER, timeoutMs: CALLBACK_MS };
      const request = { url, method: "POST", headers, body, signal, ...limits } as const;
      const { status, headers: answered } = await fetcher.fetch(request);
      return { status, retryAfter: answered["retry-after"] };
    },
  });
}
