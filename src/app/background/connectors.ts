import { API_SERVER_CONNECTOR } from "./api-server.ts";
import { DASHBOARD_CONNECTOR } from "./dashboard.ts";
import { CHAT_CONNECTORS } from "./chat-connector.ts";
import type { ConnectorKind } from "./connector.ts";
import { WEBHOOK_CONNECTOR } from "./webhook.ts";

/** The connectors, in the order in which they start. */
export const CONNECTORS: readonly ConnectorKind[] = [
  API_SERVER_CONNECTOR,
  WEBHOOK_CONNECTOR,
  DASHBOARD_CONNECTOR,
  ...CHAT_CONNECTORS,
];
