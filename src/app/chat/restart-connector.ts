import { HostError } from "../../shared/errors/host-error.ts";
import type { Records } from "../../core/index.ts";
import type { Agent } from "../compose.ts";
import { CONNECTOR_SWITCHES } from "../background/connector-switches.ts";
import { findPlatform } from "./platform-setup.ts";

const SPACE = "connector.restart";
const MOST = 1000;
/** A process that has not seen it by then has begun since. */
const KEPT_MS = 24 * 3_600_000;

/** Lets whichever process runs a connector stop it and start it anew. @throws HostError `not_found` */
export async function wishRestart(
  { store, host }: Pick<Agent, "store" | "host">,
  name: string,
): Promise<void> {
  const platform = findPlatform(name)?.name ?? (Object.hasOwn(CONNECTOR_SWITCHES, name) ? name : undefined);
  if (platform === undefined)
    throw new HostError(
      "not_found",
      `There is no connector ${JSON.stringify(name.slice(0, 100))}. \`agent connectors\` lists them.`,
    );
  const now = host.services.clock.now();
  await store.records.put({ space: SPACE, key: platform, value: String(now), expiresAt: now + KEPT_MS });
}

/** The times at which somebody wished for connectors to start anew, by platform; Unix milliseconds. */
export async function wishedRestarts(records: Records): Promise<ReadonlyMap<string, number>> {
  const wishes = await records.list({ space: SPACE, limit: MOST });
  return new Map(wishes.map(({ key, value }) => [key, Number(value)]));
}
