import { createHmac } from "node:crypto";
import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import type { Clock, Records } from "../../core/index.ts";
import type { LimitsObserver, RateLimiter, Setback } from "../../providers/models/index.ts";
import type { HomeStore } from "../../providers/store/index.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import { isLoopbackHost } from "../../shared/net/loopback.ts";
import type { LiveSettings } from "../config/live-settings.ts";

const SPACE = "cluster.limits";
const MOST = 1000;
/** A host says so often what it has learnt, and at once when a limit was met. */
const SAY_MS = 10_000;
/** It hears what others say so often: a setback takes so long to reach them at most. */
const HEAR_MS = 2_000;
/** A host that made no request for so long does not use an endpoint any more. */
const USED_MS = 60_000;
/** What a host said is not there any more when three of its words were missed. */
const KEPT_MS = 35_000;

/** What a host has learnt of an endpoint. */
const learntWire = () =>
  z.object({
    /** Requests at once, of all hosts together. */
    window: z.number().min(1),
    setback: z
      .object({
        number: z.number(),
        /** By the clock of the store. */
        until: z.number(),
        threshold: z.number().min(1),
        noCredit: z.string().optional(),
      })
      .optional(),
  });
const saidWire = later(() => z.object({ endpoints: z.record(z.string(), learntWire()) }));
type Learnt = z.output<ReturnType<typeof learntWire>>;

/** The parts of the limits that hosts share. */
export interface SharedLimitsParts {
  readonly records: Records;
  /** Its wall time is the store's. */
  readonly clock: Clock;
  readonly hostId: string;
  readonly machine: string;
  /** Nobody learns from a name of an endpoint which key it is of. */
  readonly secret: string;
}

/** An endpoint that this host uses. */
interface UsedEndpoint {
  readonly name: string;
  readonly limiter: RateLimiter;
  /** On the monotonic scale. */
  usedAt: number;
}

/**
 * The limits of model endpoints, which the hosts of a store keep together: each takes its part by the number of those that
 * use an endpoint now, and all keep to a pause that one of them was asked for. Nothing is written or read while no request is
 * made, nor for any request: only now and then, and when a limit was met.
 */
export class SharedLimits implements LimitsObserver, AsyncDisposable {
  readonly #parts: SharedLimitsParts;
  readonly #used = new Map<string, UsedEndpoint>();
  /** The last setback of each host and endpoint that this host knows of. */
  #heeded: ReadonlyMap<string, number> = new Map();
  #others: readonly Readonly<Record<string, Learnt>>[] = [];
  #saidAt = Number.NEGATIVE_INFINITY;
  #hasNews = false;
  #isSaid = false;
  #running: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(parts: SharedLimitsParts) {
    this.#parts = parts;
  }

  used(key: string, limiter: RateLimiter): void {
    const usedAt = this.#parts.clock.monotonic();
    const known = this.#used.get(key);
    if (known !== undefined) return void (known.usedAt = usedAt);
    const name = this.#nameOf(key, limiter);
    this.#used.set(key, { name, limiter, usedAt });
    // What was read last counts until it is read again.
    this.#take(name, limiter);
    this.#tell();
  }

  metSetback(): void {
    this.#tell();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#running;
    if (this.#isSaid) await this.#parts.records.remove(SPACE, this.#parts.hostId).catch(() => false);
  }

  #nameOf(key: string, { name }: RateLimiter): string {
    const { secret, machine } = this.#parts;
    const [host = name] = name.split(/:\d+$/);
    // A server of this machine is another one than that of the same address on the next machine.
    const place = isLoopbackHost(host) ? machine : "";
    return createHmac("sha256", secret)
      .update(JSON.stringify([place, key]))
      .digest("base64url");
  }

  /** Tells the others soon, and hears what they say. */
  #tell(): void {
    this.#hasNews = true;
    this.#cancel?.();
    this.#exchange();
  }

  #exchange(): void {
    if (this.#closed || this.#running !== undefined) return;
    this.#running = this.#sayAndHear()
      // While the store does not answer each goes on with what it knows.
      .catch(() => void (this.#saidAt = Number.NEGATIVE_INFINITY))
      .then(() => {
        this.#running = undefined;
        if (this.#closed || this.#used.size === 0) return;
        if (this.#hasNews) return this.#exchange();
        this.#cancel = this.#parts.clock.after(HEAR_MS, () => this.#exchange());
      });
  }

  async #sayAndHear(): Promise<void> {
    const { records, clock, hostId } = this.#parts;
    for (const [key, { usedAt }] of this.#used)
      if (clock.monotonic() - usedAt > USED_MS) this.#used.delete(key);
    if (this.#used.size === 0) {
      await records.remove(SPACE, hostId);
      this.#isSaid = false;
      return;
    }
    if (this.#hasNews || clock.monotonic() - this.#saidAt >= SAY_MS) await this.#say();
    const found = await records.list({ space: SPACE, limit: MOST });
    const others = found
      .filter(({ key, claim }) => key !== hostId && claim?.alive === true)
      .flatMap(({ key, value }) => {
        const said = saidWire().safeParse(JSON.parse(value));
        return said.success ? [[key, said.data.endpoints] as const] : [];
      });
    this.#others = others.map(([, endpoints]) => endpoints);
    this.#heed(others);
    for (const { name, limiter } of this.#used.values()) this.#take(name, limiter);
  }

  async #say(): Promise<void> {
    const { records, clock, hostId } = this.#parts;
    this.#hasNews = false;
    const now = clock.now();
    const endpoints = Object.fromEntries(
      [...this.#used.values()].map(({ name, limiter: { window, setback } }) => {
        const learnt = { window, setback: setback && this.#said(setback) };
        return [name, defined(learnt)] as const;
      }),
    );
    const value = JSON.stringify({ endpoints } satisfies z.input<ReturnType<typeof saidWire>>);
    this.#saidAt = clock.monotonic();
    this.#isSaid = true;
    await records.put({ space: SPACE, key: hostId, value, expiresAt: now + KEPT_MS, claim: true });
  }

  #said({ until, ...setback }: Setback): Setback {
    const { clock } = this.#parts;
    return { ...setback, until: clock.now() + until - clock.monotonic() };
  }

  /** Takes this host's part of an endpoint. */
  #take(name: string, limiter: RateLimiter): void {
    const windows = this.#others.flatMap((endpoints) => endpoints[name]?.window ?? []);
    limiter.share(windows.length + 1, windows.length === 0 ? undefined : Math.max(...windows));
  }

  /** Keeps to what other hosts met since they were last heard. */
  #heed(others: readonly (readonly [host: string, Readonly<Record<string, Learnt>>])[]): void {
    const { clock } = this.#parts;
    const heeded = new Map<string, number>();
    for (const [host, endpoints] of others)
      for (const { name, limiter } of this.#used.values()) {
        const setback = endpoints[name]?.setback;
        if (setback === undefined) continue;
        const { number, threshold, noCredit } = setback;
        const id = `${host} ${name}`;
        heeded.set(id, number);
        if (this.#heeded.get(id) === number) continue;
        const until = clock.monotonic() + setback.until - clock.now();
        limiter.heed({ number, threshold, until, ...defined({ noCredit }) });
      }
    this.#heeded = heeded;
  }
}

/** The parts of a process whose limits are shared. */
interface SharingParts {
  readonly store: Pick<HomeStore, "records" | "hostId" | "now">;
  readonly live: LiveSettings;
}

/** Shares the limits of model endpoints with the hosts of the same store. */
export function shareLimits({ store, live }: SharingParts, machine: string): SharedLimits {
  const limits = new SharedLimits({
    records: store.records,
    clock: { ...systemClock, now: () => store.now() },
    hostId: store.hostId,
    machine,
    secret: live.current.cluster.secret ?? "agent",
  });
  live.observeLimits(limits);
  return limits;
}
