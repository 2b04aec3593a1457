import { z } from "zod";
import { method } from "./method.ts";
import { named } from "./shapes.ts";

const ConnectorWire = named(
  "Connector",
  z.object({
    platform: z.string(),
    title: z.string(),
    /** `standby`: another process of the home is connected. */
    state: z.enum(["connecting", "connected", "retrying", "standby", "off", "disabled"]),
    /** The account's name there. */
    bot: z.string().exactOptional(),
    since: z.number().exactOptional(),
    last_error: z.string().exactOptional(),
    last_error_at: z.number().exactOptional(),
    /** Why it is off. */
    reason: z.string().exactOptional(),
  }),
);

/** A chat platform, as lists show it; times are Unix seconds. */
export type ConnectorWire = z.output<typeof ConnectorWire>;

/** The chat platforms that people talk to the agent on. */
export const CONNECTOR_METHODS = {
  "connectors.list": method({
    summary: "Lists the chat platforms: what is on, since when, and the last error.",
    params: z.object({}),
    result: z.object({ connectors: z.array(ConnectorWire) }),
    codes: { config_invalid: 5015 },
  }),
} as const;
