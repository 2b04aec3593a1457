import type { CONNECTOR_METHODS } from "../protocol/connectors.ts";
import type { HandlersOf } from "./handler.ts";

export const CONNECTOR_HANDLERS: HandlersOf<typeof CONNECTOR_METHODS> = {
  async "connectors.list"(_params, { gateway }) {
    return { connectors: [...((await gateway.ports.connectors?.list()) ?? [])] };
  },
};
