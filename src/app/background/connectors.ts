import { API_SERVER } from "./api-server.ts";
import type { ConnectorKind } from "./connector.ts";
import { WEBHOOK } from "./webhook.ts";

/** The connectors, in the order in which they start. */
export const CONNECTORS: readonly ConnectorKind[] = [API_SERVER, WEBHOOK];
