import { seconds } from "../encode/time.ts";
import type { CONNECTION_METHODS } from "../protocol/connection.ts";
import type { HandlersOf } from "./handler.ts";

export const CONNECTION_HANDLERS: HandlersOf<typeof CONNECTION_METHODS> = {
  "client.capabilities"({ server_requests, client_id }, { connection }) {
    const id = connection.takeCapabilities(server_requests, client_id);
    return { server_requests, client_id: id };
  },

  "gateway.ping"(_params, { gateway }) {
    return { ok: true, at: seconds(gateway.host.services.clock.now()) };
  },

  "pet.cells": () => ({ enabled: false }),
};
