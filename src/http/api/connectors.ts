import { z } from "zod";
import { type ApiRoute, route } from "../server/api-route.ts";
import type { ApiContext } from "../turns/api-context.ts";

const CONNECTOR = z.object({
  platform: z.string(),
  title: z.string(),
  state: z.enum(["connecting", "connected", "retrying", "standby", "off", "disabled"]),
  bot: z.string().exactOptional(),
  since: z.number().exactOptional(),
  last_error: z.string().exactOptional(),
  last_error_at: z.number().exactOptional(),
  reason: z.string().exactOptional(),
});

/** The chat platforms of the home, in the words of the wire; times are Unix seconds. */
export interface ConnectorService {
  /** All of them, those that are switched off too. */
  list(): Promise<readonly z.output<typeof CONNECTOR>[]>;
}

/** Declares the list of chat platforms; nothing where the program around the server has none. */
export function connectorRoutes(connectors: ConnectorService | undefined): readonly ApiRoute<ApiContext>[] {
  if (connectors === undefined) return [];
  return [
    route("GET /api/connectors", async (c) => c.json({ object: "list", data: await connectors.list() }), {
      id: "listConnectors",
      summary: "Chat platforms: what is on, since when, and the last error",
      endpoint: "connectors",
      answer: z.object({ object: z.literal("list"), data: z.array(CONNECTOR) }),
    }),
  ];
}
