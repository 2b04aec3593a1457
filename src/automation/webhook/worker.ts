import { createHash } from "node:crypto";
import { type Host, NO_USAGE, type OnceResult, runOnce } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import { PollingWorker } from "../../shared/async/polling-worker.ts";
import { type DeliveryDraft, isSilent } from "../delivery/index.ts";
import { type WebhookCall, type WebhookCalls, isCallSettled } from "./calls.ts";
import { CALLBACK_TARGET } from "./callback.ts";

export interface WebhookWorkerOptions {
  readonly host: Host;
  readonly calls: WebhookCalls;
  readonly clock: Clock;
  /** Runs at a time. */
  readonly concurrency: number;
  /** Puts a text into the outbox; durable when it resolves. */
  readonly send: (draft: DeliveryDraft) => Promise<unknown>;
  /** The targets of a call's answer. @throws HostError for one that cannot be delivered to */
  readonly targetsOf: (call: WebhookCall) => readonly DeliveryDraft["target"][];
  readonly report: (error: HostError) => void;
  /** Milliseconds between two looks for what others left; 2,000 by default. */
  readonly tickMs?: number;
}

const TICK_MS = 2000;
/** Calls that are on their way to their model's first word: a burst must not hold up those who still wait for an answer. */
const MOST_BEGINNING = 8;
const LONGEST_RESPONSE = 200_000;

/** Carries out accepted calls: each in a session of its own, once, also when another process accepted it and died. */
export class WebhookWorker implements AsyncDisposable {
  readonly #options: WebhookWorkerOptions;
  readonly #rounds: PollingWorker;
  /** Those that have not begun yet, the oldest first. */
  readonly #next: (() => void)[] = [];
  #beginning = 0;
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(options: WebhookWorkerOptions) {
    const { clock, report, concurrency, tickMs = TICK_MS } = options;
    this.#options = options;
    this.#rounds = new PollingWorker({
      clock,
      report,
      concurrency,
      everyMs: tickMs,
      poll: () => this.#look(),
    });
  }

  /** There is room to carry out a call at once. */
  get hasRoom(): boolean {
    return this.#rounds.capacity > 0;
  }

  /** Calls that this process carries out now. */
  get running(): number {
    return this.#rounds.running;
  }

  /** Looks for calls that nobody carries out, from now on. */
  start(): void {
    this.#rounds.start();
  }

  tick(): Promise<void> {
    return this.#rounds.pollOnce();
  }

  /** Carries out a call that this process has claimed. */
  begin(call: WebhookCall): void {
    void this.#rounds.track(this.#inTurn(call)).then(() => {
      for (const wake of this.#waiting.get(call.key) ?? []) wake();
      this.#waiting.delete(call.key);
      // It was full until now.
      if (this.#rounds.capacity === 1) this.tick().catch(() => undefined);
    });
  }

  /** Waits for a call's end, whoever carries it out; gives it as it is when `signal` aborts first. */
  async settled(key: string, signal: AbortSignal): Promise<WebhookCall | undefined> {
    for (;;) {
      const call = await this.#options.calls.get(key);
      if (call === undefined || isCallSettled(call) || signal.aborted) return call;
      await this.#change(key, signal);
    }
  }

  /** Resolves when nothing is carried out in this process. */
  idle(): Promise<void> {
    return this.#rounds.idle();
  }

  /** Begins nothing new; what runs goes on. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Leaves what runs to whichever process comes next. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#rounds[Symbol.asyncDispose]();
  }

  async #look(): Promise<void> {
    const { capacity } = this.#rounds;
    if (capacity === 0) return;
    for (const call of await this.#options.calls.claim(capacity)) this.begin(call);
  }

  /** The call's end in this process, a moment in which another one may have ended it, or the caller's patience. */
  async #change(key: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), wake]);
    const cancel = this.#options.clock.after(TICK_MS, wake);
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    cancel();
    signal.removeEventListener("abort", wake);
    const rest = (this.#waiting.get(key) ?? []).filter((each) => each !== wake);
    if (rest.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, rest);
  }

  /** Waits until few enough others are on their way to their first word. */
  async #inTurn(call: WebhookCall): Promise<void> {
    if (this.#beginning >= MOST_BEGINNING)
      await new Promise<void>((resolve) => void this.#next.push(resolve));
    else this.#beginning += 1;
    let begun = false;
    const leave = (): void => {
      if (begun) return;
      begun = true;
      const next = this.#next.shift();
      if (next === undefined) this.#beginning -= 1;
      else next();
    };
    try {
      await this.#execute(await this.#withSession(call), leave);
    } finally {
      leave();
    }
  }

  /** @param begun - called when the run has begun */
  async #execute(call: WebhookCall, begun: () => void): Promise<void> {
    const { calls, clock } = this.#options;
    const { key } = call;
    // Without a run there is nothing to wait for: its sender was told at once, or this is what a crash left.
    const ended = call.direct
      ? { ...call, status: "completed" as const }
      : answered(call, await this.#run(call, begun));
    // Somebody may have given up waiting since.
    const late = (await calls.get(key))?.late === true;
    await this.#tell(late ? { ...ended, late } : ended);
    await calls.change(key, (now) =>
      isCallSettled(now) ? undefined : { ...now, ...ended, endedAt: clock.now() },
    );
  }

  async #run(call: WebhookCall, begun: () => void): Promise<OnceResult> {
    try {
      return await this.#once(call, begun);
    } catch (thrown) {
      const error = toHostError(thrown);
      // The process ends, or its disk fails: whoever comes next goes on from there.
      const passing =
        error.code === "interrupted" || error.code === "draining" || error.code.startsWith("store_");
      if (passing || this.#rounds.signal.aborted) throw error;
      return { outcome: "failed", text: "", usage: NO_USAGE, error };
    }
  }

  async #once(call: WebhookCall, begun: () => void): Promise<OnceResult> {
    const { sessionId, prompt, route, toolsets } = call;
    const { host } = this.#options;
    const result = await runOnce(host, {
      open: {
        id: sessionId,
        platform: "webhook",
        source: "webhook",
        ...(toolsets === undefined ? {} : { settings: { toolsets } }),
      },
      submission: {
        id: promptIdOf(call),
        text: prompt,
        from: { surface: "webhook", client: route },
        questions: { mode: "refuse", reason: "a webhook's sender cannot be asked" },
      },
      onEvent: (event) => {
        if (event.type === "message.delta" || event.type === "turn.end") begun();
      },
      signal: this.#rounds.signal,
    });
    await (await host.session(sessionId)).end("webhook_complete");
    return result;
  }

  /** A session that is another call's is that of an earlier delivery with the same id, long ago: it is not read. */
  async #withSession(call: WebhookCall): Promise<WebhookCall> {
    const { sessionId, acceptedAt } = call;
    const { host } = this.#options;
    if ((await host.record(sessionId)) === undefined) return call;
    // The clock may have been set back since: what was asked in it says whose it is.
    for await (const event of (await host.session(sessionId)).events({ follow: false })) {
      if (event.type !== "turn.start" && event.type !== "prompt.queued") continue;
      return event.prompt.id === promptIdOf(call)
        ? call
        : { ...call, sessionId: `${sessionId}:${acceptedAt}` };
    }
    return call;
  }

  /** Where the answer goes; each text once, also when this is done again after a crash. */
  async #tell(call: WebhookCall): Promise<void> {
    const { send, targetsOf, report } = this.#options;
    const source = { kind: "webhook", id: call.key };
    const id = `${call.sessionId}:${call.acceptedAt}`;
    if (call.callbackUrl !== undefined) {
      const extra = { url: call.callbackUrl, deliveryId: call.deliveryId };
      await send({
        id: `${id}:callback`,
        target: { kind: CALLBACK_TARGET },
        text: callbackBody(call),
        extra,
        source,
      });
      return;
    }
    if (call.waits && (call.late !== true || call.deliver === "log")) return;
    const text = call.direct ? call.prompt : (call.response ?? "");
    if (call.status === "failed" || text.trim() === "" || isSilent(text)) return;
    try {
      for (const [index, target] of targetsOf(call).entries()) {
        await send({
          id: `${id}:${index}`,
          target,
          text,
          subject: `Webhook ${call.route}: ${call.event}`,
          extra: call.deliverExtra,
          source,
        });
      }
    } catch (thrown) {
      report(toHostError(thrown));
    }
  }
}

/** The same for whoever carries out a call, and no other call's. */
const promptIdOf = ({ key, acceptedAt }: WebhookCall): string =>
  `prompt_${createHash("sha256").update(`${key}\n${acceptedAt}`).digest("hex").slice(0, 16)}`;

function answered(call: WebhookCall, { outcome, text, error }: OnceResult): WebhookCall {
  const response = text.slice(0, LONGEST_RESPONSE).toWellFormed();
  switch (outcome) {
    case "completed":
      return { ...call, status: "completed", response };
    case "cancelled":
      return { ...call, status: "cancelled", error: "The run was stopped." };
    case "failed":
      return { ...call, status: "failed", error: error?.message ?? "The run failed." };
    case "interrupted":
      return { ...call, status: "failed", error: "The process that ran it died, or was stopped." };
  }
}

/** The answer as callers get it, at once or by callback. */
export function outcomeOf({
  status,
  response,
  error,
  route,
  deliveryId,
}: WebhookCall): Record<string, unknown> {
  return status === "completed"
    ? { status: "completed", response: response ?? "", route, delivery_id: deliveryId }
    : { status: "failed", error: error ?? "The run failed.", route, delivery_id: deliveryId };
}

const callbackBody = (call: WebhookCall): string => JSON.stringify(outcomeOf(call));
