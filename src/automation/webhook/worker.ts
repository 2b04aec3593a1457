import { createHash } from "node:crypto";
import { type Host, type OnceResult, runOnce } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { KeyedSemaphore } from "../../shared/async/keyed-semaphore.ts";
import { PollingWorker } from "../../shared/async/polling-worker.ts";
import { type DeliveryDraft, isSilent } from "../delivery/index.ts";
import { attemptRun, runFailure } from "../work/attempt-run.ts";
import { type WebhookCall, type WebhookCalls, isCallSettled } from "./calls.ts";
import { CALLBACK_TARGET } from "./callback.ts";

/** The parts of a webhook worker, and its limits. */
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
}

/** Milliseconds between two looks for what others left. */
const TICK_MS = 2000;
/**
 * Calls that are on their way to their model's first word: a burst must not hold up those who still wait for an answer.
 */
const MOST_BEGINNING = 8;
const LONGEST_RESPONSE = 200_000;

/**
 * A worker that carries out accepted calls: each in a session of its own, once, also when another process accepted it
 * and died.
 */
export class WebhookWorker extends PollingWorker {
  readonly #options: WebhookWorkerOptions;
  readonly #beginning = new KeyedSemaphore(() => MOST_BEGINNING);
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(options: WebhookWorkerOptions) {
    const { clock, report, concurrency } = options;
    super({ clock, report, concurrency, everyMs: TICK_MS, poll: () => this.#look() });
    this.#options = options;
  }

  /** Carries out a call that this process has claimed. */
  begin(call: WebhookCall): void {
    const { key } = call;
    const isClaimed = (): Promise<boolean> => this.#options.calls.isClaimed(key);
    void this.trackClaimed({ work: () => this.#inTurn(call), isClaimed }).then(() => {
      for (const wake of this.#waiting.get(key) ?? []) wake();
      this.#waiting.delete(key);
      // It was full until now.
      if (this.capacity === 1) this.pollOnce().catch(() => undefined);
    });
  }

  /** Waits for a call's end, in whatever process; gives the call as it is when `signal` aborts first. */
  async settled(key: string, signal: AbortSignal): Promise<WebhookCall | undefined> {
    for (;;) {
      const call = await this.#options.calls.get(key);
      if (call === undefined || isCallSettled(call) || signal.aborted) return call;
      await this.#change(key, signal);
    }
  }

  async #look(): Promise<void> {
    const { capacity } = this;
    if (capacity === 0) return;
    for (const call of await this.#options.calls.claimDue(capacity)) this.begin(call);
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

  /** Carries out a call when few enough others are on their way to their first word. */
  async #inTurn(call: WebhookCall): Promise<void> {
    const leave = await this.#beginning.enter("", this.signal);
    let begun = false;
    const begin = (): void => {
      if (!begun) leave();
      begun = true;
    };
    try {
      await this.#execute(await this.#withSession(call), begin);
    } finally {
      begin();
    }
  }

  /** @param begun - called when the run has begun */
  async #execute(call: WebhookCall, begun: () => void): Promise<void> {
    const { calls, clock } = this.#options;
    const { key } = call;
    // A direct call has no run: its sender was answered at once, or a crash left it.
    const ended = call.direct
      ? { ...call, status: "completed" as const }
      : answered(call, await attemptRun(this.signal, () => this.#once(call, begun)));
    // The caller may have given up waiting since.
    const late = (await calls.get(key))?.late === true;
    const lost = await this.#tell(late ? { ...ended, late } : ended);
    await calls.change(key, (now) =>
      isCallSettled(now)
        ? undefined
        : { ...now, ...ended, ...defined({ deliveryError: lost }), endedAt: clock.now() },
    );
  }

  async #once(call: WebhookCall, begun: () => void): Promise<OnceResult> {
    const { sessionId, prompt, route, toolsets } = call;
    const { host } = this.#options;
    const result = await runOnce(host, {
      open: {
        id: sessionId,
        platform: "webhook",
        source: "webhook",
        ...defined({ settings: toolsets && { toolsets } }),
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
      signal: this.signal,
    });
    await (await host.session(sessionId)).end("webhook_complete");
    return result;
  }

  /** A session that is another call's is that of an earlier delivery with the same id, long ago: it is not read. */
  async #withSession(call: WebhookCall): Promise<WebhookCall> {
    const { sessionId, acceptedAt } = call;
    const { host } = this.#options;
    if ((await host.record(sessionId)) === undefined) return call;
    // The clock may have been set back since: the prompt tells whose session it is.
    for await (const event of (await host.session(sessionId)).events({ follow: false })) {
      if (event.type !== "turn.start" && event.type !== "prompt.queued") continue;
      return event.prompt.id === promptIdOf(call)
        ? call
        : { ...call, sessionId: `${sessionId}:${acceptedAt}` };
    }
    return call;
  }

  /**
   * Where the answer goes, or what failed; each text once, also when this is done again after a crash.
   *
   * @returns why nothing can be delivered
   */
  async #tell(call: WebhookCall): Promise<string | undefined> {
    const { send, targetsOf, report } = this.#options;
    const source = { kind: "webhook", id: call.key };
    const id = `${call.sessionId}:${call.acceptedAt}`;
    if (call.callbackUrl !== undefined) {
      const extra = { url: call.callbackUrl, deliveryId: call.deliveryId };
      const text = JSON.stringify(outcomeOf(call));
      await send({ id: `${id}:callback`, target: { kind: CALLBACK_TARGET }, text, extra, source });
      return undefined;
    }
    if (call.waits && (call.late !== true || call.deliver === "log")) return undefined;
    const text = textOf(call);
    if (text.trim() === "" || isSilent(text)) return undefined;
    try {
      const message = { text, subject: subjectOf(call), extra: call.deliverExtra, source };
      for (const [index, target] of targetsOf(call).entries())
        await send({ id: `${id}:${index}`, target, ...message });
      return undefined;
    } catch (thrown) {
      const { message } = toHostError(thrown);
      const lost = new HostError(
        "delivery_failed",
        `The answer to ${call.deliveryId} on the webhook route ${call.route} cannot be delivered: ${message}`,
        { cause: thrown },
      );
      report(lost);
      return message;
    }
  }
}

/** Gives what the target of a call is told; a failure that nobody waits for is told too. */
function textOf({ direct, prompt, status, response = "", route, event, error }: WebhookCall): string {
  if (direct) return prompt;
  return status === "failed"
    ? `The webhook ${route} (${event}) failed: ${error ?? "no reason is known"}`
    : response;
}

/** The title of what a call delivers. */
export const subjectOf = ({ route, event }: WebhookCall): string => `Webhook ${route}: ${event}`;

/** Gives the prompt id of a call, which is the same in every process. */
const promptIdOf = ({ key, acceptedAt }: WebhookCall): string =>
  `prompt_${createHash("sha256").update(`${key}\n${acceptedAt}`).digest("hex").slice(0, 16)}`;

function answered(call: WebhookCall, result: OnceResult): WebhookCall {
  switch (result.outcome) {
    case "completed": {
      const response = result.text.slice(0, LONGEST_RESPONSE).toWellFormed();
      return { ...call, status: "completed", response };
    }
    case "cancelled":
      return { ...call, status: "cancelled", error: "The run was stopped." };
    case "failed":
    case "interrupted":
      return { ...call, status: "failed", error: runFailure(result) };
  }
}

/** The answer as callers get it, at once or by callback. */
export function outcomeOf(call: WebhookCall): Record<string, unknown> {
  const { status, response = "", error = "The run failed.", route, deliveryId } = call;
  const said = status === "completed" ? { status, response } : { status: "failed", error };
  return { ...said, route, delivery_id: deliveryId };
}
