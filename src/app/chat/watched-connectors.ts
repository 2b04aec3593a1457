import type { WatchedConnector } from "../../automation/outgoing/index.ts";
import { type ConnectorStatus, connectorStatus } from "../../chat/index.ts";
import type { Records } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { AppSettings } from "../config/settings.ts";
import { configuredChats, reasonOff } from "./chat-account.ts";

const STATES = {
  connected: "up",
  retrying: "down",
  off: "down",
  connecting: "off",
  standby: "off",
} as const satisfies Readonly<Record<ConnectorStatus["state"], WatchedConnector["state"]>>;

/** The chat platforms that are on, with what was noted of their connections. */
export async function watchedConnectors(
  settings: AppSettings,
  records: Records,
): Promise<readonly WatchedConnector[]> {
  const found = configuredChats(settings)
    .filter((chat) => reasonOff(chat) === undefined)
    .map(({ platform }) => connectorStatus(records, platform.name));
  return (await Promise.all(found)).flatMap((status) => {
    if (status === undefined) return [];
    const { platform, title, state, since, lastError: error } = status;
    return [{ platform, title, state: STATES[state], since, ...defined({ error }) }];
  });
}
