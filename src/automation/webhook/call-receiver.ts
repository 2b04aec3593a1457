import type { Clock } from "../../shared/async/clock.ts";
import { Deadline } from "../../shared/async/deadline.ts";
import type { RandomHex } from "../../shared/crypto/random-hex.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { Delivery, Senders } from "../delivery/index.ts";
import type { HttpContext } from "../../http/server/context.ts";
import { readRequestBody } from "../../http/server/body.ts";
import { HttpError } from "../../http/server/http-error.ts";
import { checkCaller, proofOf } from "./authentication.ts";
import { BODY_MESSAGES } from "./body-messages.ts";
import { isCallSettled, type WebhookCall, type WebhookCalls } from "./calls.ts";
import { newCall, type WebhookEvent } from "./new-call.ts";
import { callbackOf, challengeOf, deliveryId, eventType, isPing, parsePayload } from "./payload.ts";
import type { CallLimit } from "./rate-limit.ts";
import type { WebhookRoute } from "./route.ts";
import type { ReceivedCalls } from "./received-calls.ts";
import { BUILT_IN, type WebhookSettings } from "./settings.ts";
import { outcomeOf, subjectOf, type WebhookWorker } from "./worker.ts";

/** The parts of a receiver of calls. */
export interface CallReceiverParts {
  readonly settings: WebhookSettings;
  readonly calls: WebhookCalls;
  /** Where all calls are noted, whatever becomes of them. */
  readonly received: ReceivedCalls;
  readonly worker: WebhookWorker;
  /** Of the calls of each route. */
  readonly limit: CallLimit;
  readonly clock: Clock;
  readonly hex: RandomHex;
  readonly report: (error: HostError) => void;
  /** The routes that were made by command, as they are now. */
  readonly dynamic: () => ReadonlyMap<string, WebhookRoute>;
  /** For routes that deliver at once. */
  readonly senders: Senders;
  readonly targetsOf: (call: WebhookCall) => readonly Delivery["target"][];
  /** Text of the first skill that there is, `undefined` when there is none. */
  readonly loadSkill: (name: string) => Promise<string | undefined>;
}

/** The receiver of calls: it authenticates, counts, reads and records a call, and only then answers. */
export class CallReceiver {
  readonly #options: CallReceiverParts;
  #draining = false;

  constructor(options: CallReceiverParts) {
    this.#options = options;
  }

  drain(): void {
    this.#draining = true;
  }

  /** Takes a call, and notes it whatever becomes of it. */
  async take(c: HttpContext): Promise<Response> {
    try {
      return await this.#take(c);
    } catch (thrown) {
      if (thrown instanceof HttpError)
        await this.#options.received.noteRefused(c.req.param("route") ?? "", thrown.message);
      throw thrown;
    }
  }

  async #take(c: HttpContext): Promise<Response> {
    if (this.#draining)
      throw new HttpError(503, "The connector is shutting down", { headers: { "retry-after": "5" } });
    const { settings, clock, hex, limit } = this.#options;
    const route = await this.#route(c.req.param("route") ?? "");
    checkCaller(c, route);
    const body = await readRequestBody(c, settings.maxBodyBytes, BODY_MESSAGES);
    const header = (name: string): string | undefined => c.req.header(name);
    if (route.secret === "") throw new HttpError(403, "Webhook route is missing a secret");
    const proof = proofOf({ header, body, secret: route.secret, now: clock.now() });
    if (proof === undefined) throw new HttpError(401, "Invalid signature");
    const wait = await limit.take(route.name);
    if (wait > 0) {
      throw new HttpError(429, "Rate limit exceeded", {
        headers: { "retry-after": String(Math.ceil(wait / 1000)) },
      });
    }
    const payload = read(body, header("content-type") ?? "");
    const challenge = challengeOf(header, payload);
    if (challenge !== undefined) return c.json({ challenge });
    const event = eventType(header, payload);
    const wanted = route.events.length === 0 || route.events.includes(event);
    if (!wanted || isPing(header)) {
      await this.#options.received.note({ route: route.name, fate: "ignored", event }, body);
      return c.json({ status: "ignored", event });
    }
    const id = deliveryId(header, payload, hex);
    return await this.#accept(c, { route, payload, event, deliveryId: id, signature: proof.signature }, body);
  }

  async #route(name: string): Promise<WebhookRoute> {
    const { settings, dynamic } = this.#options;
    const route = settings.routes.get(name) ?? dynamic().get(name);
    if (route === undefined && name === BUILT_IN && settings.builtInOff !== undefined)
      throw new HttpError(404, `The route ${BUILT_IN} is off: ${settings.builtInOff}`);
    if (route === undefined) throw new HttpError(404, `Unknown route: ${name.slice(0, 100)}`);
    if (!route.enabled) throw new HttpError(403, `Route disabled: ${name}`);
    return route;
  }

  async #accept(c: HttpContext, incoming: WebhookEvent, body: Uint8Array): Promise<Response> {
    const { calls, worker, clock, loadSkill, received } = this.#options;
    const { route, event } = incoming;
    const callback = route.builtIn ? callbackOf(incoming.payload) : undefined;
    if (callback === false)
      throw new HttpError(400, "callback_url must be an absolute http:// or https:// address");
    const asked = ["1", "true", "yes", "on"].includes(c.req.query("wait")?.toLowerCase() ?? "");
    const waits = callback === undefined && !route.deliverOnly && (route.httpReply || asked);
    const call = await newCall(incoming, { now: clock.now(), waits, callbackUrl: callback, loadSkill });
    const { deliveryId: id } = call;
    this.#checkTargets(call, route);
    const claim = route.deliverOnly || waits || worker.capacity > 0;
    const isNew = await calls.accept(call, claim);
    const fate = isNew ? "accepted" : "duplicate";
    await received.note({ route: route.name, fate, event, callKey: call.key }, body);
    if (!isNew) return c.json({ status: "duplicate", route: route.name, delivery_id: id });
    if (route.deliverOnly) return await this.#deliver(c, call);
    if (claim) worker.begin(call);
    if (waits) return await this.#answer(c, call);
    if (callback !== undefined)
      return c.json({ status: "accepted", reply: "callback", route: route.name, delivery_id: id }, 202);
    return c.json({ status: "accepted", route: route.name, event, delivery_id: id }, 202);
  }

  /** Nothing is paid for whose result would be lost. */
  #checkTargets(call: WebhookCall, { builtIn }: WebhookRoute): void {
    if (builtIn) return;
    try {
      this.#options.targetsOf(call);
    } catch (thrown) {
      const error = toHostError(thrown);
      const message = `The webhook route ${call.route} was called in vain: ${error.message}`;
      this.#options.report(new HostError("config_invalid", message, { cause: error }));
      throw new HttpError(503, "This route cannot deliver; its owner is told why");
    }
  }

  /** Waits for the run; a caller who leaves, or waits too long, gets it delivered where the route says. */
  async #answer(c: HttpContext, { key }: WebhookCall): Promise<Response> {
    const { settings, worker, calls, clock } = this.#options;
    using patience = new Deadline({ clock, ms: settings.syncMs, signal: c.req.raw.signal });
    const call = await worker.settled(key, patience.signal);
    if (call !== undefined && isCallSettled(call))
      return c.json(outcomeOf(call), call.status === "completed" ? 200 : 502);
    await calls.change(key, (now) => (isCallSettled(now) ? undefined : { ...now, late: true }));
    return c.json({ status: "timeout", route: call?.route, delivery_id: call?.deliveryId }, 504);
  }

  /** Sends the rendered text at once; when that fails, the sender may try again under the same id. */
  async #deliver(c: HttpContext, call: WebhookCall): Promise<Response> {
    const { calls, clock, report, hex } = this.#options;
    const { key, route, deliver: target, deliveryId: id } = call;
    try {
      await this.#send(call, hex(8));
    } catch (thrown) {
      const error = toHostError(thrown);
      report(error);
      const failure = { status: "failed", error: error.message } as const;
      await calls.change(key, (now) => ({ ...now, ...failure, endedAt: clock.now() }));
      await calls.release(key);
      return c.json({ status: "error", error: "Delivery failed", delivery_id: id }, 502);
    }
    await calls.change(key, (now) => ({ ...now, status: "delivered", endedAt: clock.now() }));
    return c.json({ status: "delivered", route, target, delivery_id: id });
  }

  async #send(call: WebhookCall, id: string): Promise<void> {
    const { senders, targetsOf, clock } = this.#options;
    for (const target of targetsOf(call)) {
      const delivery: Delivery = {
        id: `direct-${id}`,
        target,
        text: call.prompt,
        subject: subjectOf(call),
        extra: call.deliverExtra,
        source: { kind: "webhook", id: call.key },
        status: "pending",
        attempts: 1,
        createdAt: clock.now(),
      };
      // One that is not enabled is not among the targets.
      await senders(target.kind)?.send(delivery, AbortSignal.timeout(DIRECT_MS));
    }
  }
}

const DIRECT_MS = 30_000;

function read(body: Uint8Array, contentType: string): unknown {
  try {
    return parsePayload(body, contentType);
  } catch (cause) {
    throw new HttpError(400, "Cannot parse body", { cause });
  }
}
