import type { HeldRole, RecordLease } from "../../core/index.ts";
import { type Clock, sleep } from "../../shared/async/clock.ts";
import { growingWait } from "../../shared/async/growing-wait.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { ChannelState } from "./connection.ts";

/** The parts of a service that one host at a time has. */
export interface KeptService {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly role: RecordLease;
  /** Opens what serving needs; opens nothing twice. */
  readonly open: () => Promise<unknown>;
  /** Told when another host has the role. */
  readonly waiting: () => void;
  /** Serves until the role is lost, or for as long as is wanted. */
  readonly serve: (role: HeldRole) => Promise<void>;
  /** Told that the store, or what serving needs, is away; what the store says of its state may be another host's meanwhile. */
  readonly changed: (state: ChannelState, error?: HostError) => void;
  readonly report: (error: HostError) => void;
}

/**
 * Serves until `signal` aborts, whenever the role is this host's. A store that is away is waited for.
 *
 * @throws HostError `config_invalid` when only the owner can help
 */
export async function keepServing(service: KeptService, signal: AbortSignal): Promise<void> {
  const { clock, random, role, open, waiting, changed, report } = service;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await open();
      const held = await role.wait(signal, waiting);
      if (held === undefined) return;
      await serveAs(held, service);
      failures = 0;
    } catch (thrown) {
      const error = toHostError(thrown);
      if (error.code === "config_invalid") throw error;
      if (failures === 0) report(error);
      changed("retrying", error);
      await sleep(clock, growingWait(failures, random), signal);
      failures += 1;
      if (signal.aborted) changed("off");
    }
  }
}

async function serveAs(
  held: HeldRole,
  { serve, report }: Pick<KeptService, "serve" | "report">,
): Promise<void> {
  try {
    await serve(held);
  } finally {
    try {
      await held[Symbol.asyncDispose]();
    } catch (thrown) {
      // What the records keep of it is taken again, by this host too.
      report(toHostError(thrown));
    }
  }
}
