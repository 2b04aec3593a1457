import { z } from "zod";
import { named, UsageWire } from "./shapes.ts";

/** The present doing of a session. */
export const LiveStatus = named("LiveStatus", z.enum(["waiting", "starting", "working", "idle"]));

/** The present doing of a session, in one word. */
export type LiveStatus = z.output<typeof LiveStatus>;

/** Why a session waits, since when, until when, and which question would end it. Times are Unix seconds. */
export const Waiting = named(
  "Waiting",
  z.object({
    cause: z.enum(["approval", "clarify", "sudo", "secret", "retry", "budget"]),
    since: z.number(),
    until: z.number().optional(),
    request_id: z.string().optional(),
  }),
);

/** An MCP server and how it stands. */
export const McpServerWire = named(
  "McpServer",
  z.object({
    name: z.string(),
    transport: z.string(),
    tools: z.number(),
    connected: z.boolean(),
    disabled: z.boolean(),
    status: z.enum(["configured", "connecting", "connected", "disabled", "failed"]),
    error: z.string().optional(),
  }),
);

/** An MCP server, as clients show it. */
export type McpServerWire = z.output<typeof McpServerWire>;

/** A session as status lines and panels show it. `seq` is the cursor that it was made at. */
export const SessionInfo = named(
  "SessionInfo",
  z.object({
    model: z.string(),
    provider: z.string(),
    reasoning_effort: z.string(),
    service_tier: z.string(),
    fast: z.boolean(),
    yolo: z.boolean(),
    mode: z.enum(["ask", "edits", "plan", "all"]),
    approval_mode: z.enum(["manual", "smart", "off"]),
    tools: z.record(z.string(), z.array(z.string())),
    skills: z.record(z.string(), z.array(z.string())),
    mcp_servers: z.array(McpServerWire),
    cwd: z.string(),
    branch: z.string(),
    personality: z.string(),
    running: z.boolean(),
    status: LiveStatus,
    waiting: Waiting.optional(),
    queued: z.number(),
    title: z.string(),
    stored_session_id: z.string(),
    desktop_contract: z.number(),
    version: z.string(),
    release_date: z.string(),
    update_behind: z.number().nullable(),
    update_command: z.string(),
    usage: UsageWire,
    profile_name: z.string(),
    untrusted: z.object({ folder: z.string(), files: z.array(z.string()), decided: z.boolean() }).optional(),
    /** Where the session's commands run; `why` is there when there is no sandbox. Absent before its first turn. */
    sandbox: z
      .object({ commands: z.enum(["inside", "outside", "refused"]), why: z.string().optional() })
      .optional(),
    credential_warning: z.string().optional(),
    config_warning: z.string().optional(),
  }),
);

/** A session as status lines show it. */
export type SessionInfo = z.output<typeof SessionInfo>;
