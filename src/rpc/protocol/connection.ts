import { z } from "zod";
import { method } from "./method.ts";

/** The methods for the connection itself. */
export const CONNECTION_METHODS = {
  "client.capabilities": method({
    summary:
      "With `server_requests`, this connection gets questions as requests of the host; `client_id` recognises the client again on another connection.",
    params: z.object({
      server_requests: z.boolean().default(false),
      client_id: z.string().min(1).max(100).optional(),
    }),
    result: z.object({ server_requests: z.boolean(), client_id: z.string() }),
  }),
  "gateway.ping": method({
    summary: "Answers at once.",
    params: z.object({}),
    result: z.object({ ok: z.literal(true), at: z.number() }),
  }),
  "pet.cells": method({
    summary: "There is no pet.",
    params: z.object({}),
    result: z.object({ enabled: z.literal(false) }),
  }),
} as const;
