import type { ConnectorRow } from "../../../../src/dashboard/api/connector-routes.ts";
import { Badge, type Tone } from "../../design/badge.tsx";

const STATES: Readonly<Record<ConnectorRow["state"], readonly [Tone, string]>> = {
  connecting: ["busy", "Connecting"],
  connected: ["good", "Connected"],
  retrying: ["bad", "Failing"],
  standby: ["plain", "Standby"],
  off: ["warn", "Not running"],
  disabled: ["plain", "Off"],
};

/** What a connector does at present. */
export function ConnectorState({ state }: Pick<ConnectorRow, "state">) {
  const [tone, words] = STATES[state];
  return <Badge tone={tone}>{words}</Badge>;
}

/** Why a connector is in its state, in a sentence; empty where there is nothing to say. */
export function whyText({ state, reason, last_error: error }: ConnectorRow): string {
  if (state === "disabled" || state === "connected") return "";
  if (state === "standby") return "Another process of this home is connected.";
  return reason ?? error ?? "";
}
