import { CHAT_PLATFORMS, type ConnectorStatus, connectorStatus } from "../../chat/index.ts";
import type { Records } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { AppSettings } from "../config/settings.ts";
import { configuredChats, reasonOff } from "./chat-account.ts";

/** A chat platform as people see it in a list. */
export interface ListedConnector extends Omit<ConnectorStatus, "since" | "state"> {
  /** `disabled` in the configuration; `off`: it cannot start, or no process has it. */
  readonly state: ConnectorStatus["state"] | "disabled";
  readonly since?: number;
  /** Why it is off. */
  readonly reason?: string;
}

/** All chat platforms, with the state that the process which has them noted last. */
export async function connectorList(
  settings: AppSettings,
  records: Records,
): Promise<readonly ListedConnector[]> {
  const chats = configuredChats(settings);
  return await Promise.all(
    CHAT_PLATFORMS.map(async ({ name, title }): Promise<ListedConnector> => {
      const chat = chats.find(({ platform }) => platform.name === name);
      const base = { platform: name, title };
      if (chat === undefined) return { ...base, state: "disabled" };
      const why = reasonOff(chat);
      if (why !== undefined) return { ...base, state: "off", reason: why };
      const status = await connectorStatus(records, name);
      if (status === undefined)
        return { ...base, state: "off", reason: "It was never started: run agent gateway." };
      const isHeld = (await records.get(`chat.lease.${name}`, name))?.claim?.alive === true;
      const reason = isHeld ? undefined : "No gateway runs.";
      return { ...status, ...(isHeld ? {} : { state: "off" as const }), ...defined({ reason }) };
    }),
  );
}
