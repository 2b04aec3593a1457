import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { CONNECTOR_SWITCHES } from "../background/connector-switches.ts";
import { platformBlock } from "../config/block.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { configuredChats } from "./chat-account.ts";
import { findPlatform } from "./platform-setup.ts";

/** Why a connector cannot be switched in config.yaml; `undefined` when it can. */
export function fixedBecause(platform: string, env: LiveSettings["env"]): string | undefined {
  const { [platform]: variable } = CONNECTOR_SWITCHES;
  if (variable === undefined || (env[variable] ?? "").trim() === "") return undefined;
  return `${variable} decides whether it is on: take it out of the environment or .env first.`;
}

/**
 * Switches a connector on or off for good. Processes that run take it up by themselves.
 *
 * @returns whether it was on before
 * @throws HostError `not_found`; `conflict` when a variable decides; `invalid_params` for one that cannot run as it is configured
 */
export async function switchConnector(
  live: LiveSettings,
  platform: string,
  enabled: boolean,
): Promise<boolean> {
  const names = blocksOf(platform);
  const fixed = fixedBecause(platform, live.env);
  if (fixed !== undefined) throw new HostError("conflict", fixed);
  const isOn = (name: string): boolean => platformBlock(live.current, name)["enabled"] === true;
  const on = names.filter(isOn);
  if (on.length > 0 === enabled) return enabled;
  const [own = platform] = names;
  const there = names.find((name) => Object.keys(platformBlock(live.current, name)).length > 0) ?? own;
  const changed = enabled ? [there] : on;
  const write = (value: boolean): Promise<void> =>
    live.change(changed.map((name) => [["platforms", name, "enabled"], value] as const));
  await write(enabled);
  try {
    configuredChats(live.current);
  } catch (thrown) {
    await write(!enabled);
    throw new HostError("invalid_params", toHostError(thrown).message, { cause: thrown });
  }
  return !enabled;
}

/** The names of a connector's block. @throws HostError `not_found` */
function blocksOf(platform: string): readonly string[] {
  const chat = findPlatform(platform);
  if (chat !== undefined) return [chat.name, chat.kind];
  if (Object.hasOwn(CONNECTOR_SWITCHES, platform)) return [platform];
  throw new HostError("not_found", `There is no connector ${JSON.stringify(platform.slice(0, 100))}.`);
}
