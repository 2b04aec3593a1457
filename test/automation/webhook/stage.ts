import { createHmac } from "node:crypto";
import type { HostOptions, Models, Records } from "../../../src/core/index.ts";
import type { HostError } from "../../../src/shared/errors/host-error.ts";
import { type Delivery, Outbox, readTargets, type Sender } from "../../../src/automation/delivery/index.ts";
import {
  RateLimit,
  type WebhookCall,
  ReceivedCalls,
  SharedRateLimit,
  WebhookCalls,
  decodeRoute,
  decodeWebhookSettings,
  webhookConnector,
  WebhookWorker,
} from "../../../src/automation/webhook/index.ts";
import { listen } from "../../../src/http/index.ts";
import type { HandClock } from "../../kit/clock.ts";
import { Machine } from "../../kit/machine.ts";

export const SECRET = "a-secret-of-the-tests-0123456789";

export interface StageOptions {
  readonly extra?: Record<string, unknown>;
  readonly subscriptions?: Readonly<Record<string, unknown>>;
  readonly senders?: Readonly<Record<string, Sender>>;
  readonly skills?: Readonly<Record<string, string>>;
  readonly host?: Partial<HostOptions>;
  /** Changes the records of the calls. */
  readonly records?: (records: Records) => Records;
  /** It is one of several hosts on a store. */
  readonly isShared?: boolean;
}

/** A connector that listens, with its host, worker and outbox, in a process that may die. */
export interface WebhookProcess extends AsyncDisposable {
  readonly url: string;
  readonly calls: WebhookCalls;
  readonly worker: WebhookWorker;
  readonly outbox: Outbox;
  readonly reported: readonly HostError[];
  readonly log: readonly Delivery[];
  readonly clock: HandClock;
  die(): void;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The status of a call that takes no socket. */
  statusOf(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<number>;
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

export const sign = (body: string, secret = SECRET): Record<string, string> => ({
  "content-type": "application/json",
  "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
});

/** Starts a process; several on one machine share its home and clock. */
export async function webhookProcess(
  machine: Machine,
  models: Models,
  options: StageOptions = {},
): Promise<WebhookProcess> {
  const { extra = {}, subscriptions = {}, skills = {} } = options;
  const process = await machine.start(models, { keepLeaseMs: 0, report: () => undefined, ...options.host });
  const { host, store } = process;
  const { clock } = machine;
  const settings = decodeWebhookSettings(
    { host: "127.0.0.1", port: 0, rate_limit: 0, ...extra },
    { secret: SECRET },
  );
  const calls = new WebhookCalls(options.records?.(store.records) ?? store.records);
  const reported: HostError[] = [];
  const report = (error: HostError): void => void reported.push(error);
  const log: Delivery[] = [];
  const logged: Sender = { retryMs: [], send: (delivery) => Promise.resolve(void log.push(delivery)) };
  const table: Readonly<Record<string, Sender>> = { log: logged, ...options.senders };
  const senders = (kind: string): Sender | undefined => table[kind];
  const outbox = new Outbox({ records: store.records, clock, senders, report });
  const kinds = new Map(
    Object.keys(table).map((kind) => [kind, { chat: "home", threads: true, needs: [] }] as const),
  );
  const targetsOf = ({ deliver, deliverExtra: extra }: Pick<WebhookCall, "deliver" | "deliverExtra">) =>
    readTargets(deliver, { kinds, homes: () => [], extra });
  const worker = new WebhookWorker({
    host,
    calls,
    clock,
    concurrency: settings.concurrency,
    send: (draft) => outbox.put(draft),
    targetsOf,
    report,
  });
  const dynamic = new Map(
    Object.entries(subscriptions).map(([name, route]) => [name, decodeRoute(name, route, settings.secret)]),
  );
  const connector = webhookConnector({
    settings,
    calls,
    received: new ReceivedCalls({
      records: store.records,
      clock,
      hex: host.services.hex,
      redact: (text) => text,
    }),
    worker,
    limit:
      options.isShared === true
        ? new SharedRateLimit({ records: store.records, now: () => clock.now(), limit: settings.rateLimit })
        : new RateLimit(clock, settings.rateLimit),
    clock,
    hex: host.services.hex,
    log: () => undefined,
    report,
    dynamic: () => dynamic,
    senders,
    targetsOf,
    loadSkill: (name) => Promise.resolve(skills[name]),
  });
  const listening = await listen(connector.app, settings);
  return {
    url: listening.url,
    calls,
    worker,
    outbox,
    reported,
    log,
    clock,
    die() {
      // A dead process begins nothing.
      void worker.stop();
      process.die();
    },
    async post(path, body, headers) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const answer = await fetch(`${listening.url}${path}`, {
        method: "POST",
        body: text,
        headers: headers ?? sign(text),
      });
      return {
        status: answer.status,
        body: (await answer.json()) as Record<string, unknown>,
        headers: answer.headers,
      };
    },
    async statusOf(path, body, headers) {
      return (await connector.app.request(path, { method: "POST", body, headers })).status;
    },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await outbox[Symbol.asyncDispose]();
      await listening.close();
      await host.close();
    },
  };
}

/** One process on a machine of its own. */
export const webhookStage = (models: Models, options?: StageOptions): Promise<WebhookProcess> =>
  webhookProcess(new Machine(), models, options);

/** A body with more headers, signed. */
export const signed = (
  body: unknown,
  headers: Readonly<Record<string, string>>,
): [string, Record<string, string>] => {
  const text = JSON.stringify(body);
  return [text, { ...sign(text), ...headers }];
};
