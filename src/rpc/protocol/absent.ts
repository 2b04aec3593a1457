import { z } from "zod";
import { method, sessionMethod } from "./method.ts";

const action = { action: z.string().default("status") };

/** Methods of parts that this host does not have: their answers say so in words that clients show to people. */
export const ABSENT_METHODS = {
  "plugins.manage": method({
    summary: "Lists no plugins: there are none. Any other action is refused, with a sentence for people.",
    params: z.object({ action: z.string().default("list") }),
    result: z.object({ plugins: z.array(z.never()), user_count: z.number(), bundled_count: z.number() }),
    codes: { not_found: 5026 },
  }),
  "voice.toggle": method({
    summary: "Voice is off and stays off: switching it on is refused, with a sentence for people.",
    params: z.object(action),
    result: z.object({
      enabled: z.literal(false),
      tts: z.literal(false),
      record_key: z.string(),
      available: z.literal(false),
      audio_available: z.literal(false),
      stt_available: z.literal(false),
      details: z.string(),
    }),
    codes: { not_found: 4014 },
  }),
  "browser.manage": method({
    summary: "No browser is connected, whatever the action; `messages` say why.",
    params: z.object(action),
    result: z.object({ connected: z.literal(false), messages: z.array(z.string()) }),
  }),
  "session.events.stats": sessionMethod({
    summary:
      "There is no buffer of events to fill: they are replayed from the log. `latest_seq` is a session's.",
    params: z.object({ session_id: z.string().optional() }),
    result: z.object({
      sessions: z.number(),
      events: z.literal(0),
      bytes: z.literal(0),
      max_bytes_per_session: z.literal(0),
      max_bytes_process: z.literal(0),
      epoch: z.string(),
      latest_seq: z.number().optional(),
    }),
  }),
} as const;

/** What the families of methods are about that other gateways have and this host has not, by the part before the dot. */
export const ABSENT_FAMILIES: Readonly<Record<string, string>> = {
  billing: "billing",
  subscription: "subscriptions",
  usage: "plans",
  voice: "voice",
  browser: "browser",
  plugins: "plugins",
  pet: "pets",
  learning: "learning journal",
  project: "projects",
  projects: "projects",
  handoff: "handing over to other platforms",
  moa: "mixture of agents",
  cron: "management of jobs over the gateway; `agent jobs` has it",
  pdf: "reading of PDF files as images; name the file in the prompt",
};
