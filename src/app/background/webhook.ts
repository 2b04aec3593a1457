import { listen } from "../../http/index.ts";
import {
  type CallLimit,
  type ChatReceiver,
  RateLimit,
  SharedRateLimit,
  subscriptionReader,
  webhookConnector,
  WebhookWorker,
} from "../../automation/webhook/index.ts";
import type { Agent } from "../compose.ts";
import { isWebhookEnabled } from "../config/webhook.ts";
import { skillLoader } from "../knowledge/skill-entries.ts";
import { checkedWebhookSettings } from "./webhook-check.ts";
import { SUBSCRIPTION_FILE } from "./subscription-file.ts";
import type { Connector, ConnectorKind, ConnectorContext } from "./connector.ts";

/** The webhook connector on its own port. */
export const WEBHOOK_CONNECTOR: ConnectorKind = {
  name: "webhook connector",
  platform: "webhook",
  switches: "WEBHOOK_ENABLED=true (or platforms.webhook.enabled)",
  isEnabled: isWebhookEnabled,
  check: (settings) => void checkedWebhookSettings(settings),
  start,
};

/** Milliseconds after which open connections are cut. */
const GOODBYE_MS = 2000;

async function start(agent: Agent, { log, services }: ConnectorContext): Promise<Connector> {
  const { host, settings: all, texts } = agent;
  const { clock, hex, report } = host.services;
  const settings = checkedWebhookSettings(all);
  if (settings.secretFault !== undefined)
    log({
      event: "webhook.agent_route_off",
      level: "warn",
      reason: `WEBHOOK_SECRET ${settings.secretFault}`,
    });
  const { calls, received, outbox, senders } = services;
  const targetsOf: typeof services.targetsOfCall = (call) => services.targetsOfCall(call);
  const dynamic = subscriptionReader({
    read: () => texts.read(SUBSCRIPTION_FILE) || undefined,
    secret: settings.secret,
    host: settings.host,
    report,
  });
  const { concurrency } = settings;
  const send = outbox.put.bind(outbox);
  const worker = new WebhookWorker({ host, calls, clock, concurrency, send, targetsOf, report });
  const skill = skillLoader(agent.knowledge.skills);
  // Its senders are strangers to every workspace: only the owner's skills count.
  const loadSkill = (name: string): Promise<string | undefined> => skill(name, "");
  const chat = (name: string): ChatReceiver | undefined => {
    const receiver = services.chat.connectors.get(name);
    return receiver?.isReached === true ? (request) => receiver.webhook(request) : undefined;
  };
  const ports = {
    chat,
    calls,
    received,
    worker,
    limit: callLimit(agent, settings.rateLimit),
    clock,
    hex,
    log,
    report,
    dynamic,
    senders,
    targetsOf,
    loadSkill,
  };
  const connector = webhookConnector({ settings, ...ports });
  const listening = await listen(connector.app, settings);
  worker.start();
  return {
    title: `webhook connector on ${listening.url}/webhooks`,
    drain() {
      connector.drain();
      void worker.stop();
    },
    async close() {
      await worker[Symbol.asyncDispose]();
      await listening.close(GOODBYE_MS);
    },
  };
}

/** One limit for all hosts that share the store. */
function callLimit({ host, store }: Agent, limit: number): CallLimit {
  if (!store.isShared) return new RateLimit(host.services.clock, limit);
  return new SharedRateLimit({ records: store.records, now: () => store.now(), limit });
}
