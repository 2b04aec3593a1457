import { z } from "zod";
import { method, sessionMethod } from "./method.ts";
import { named } from "./shapes.ts";

export const ActiveSubagentWire = named(
  "Subagent",
  z.object({
    subagent_id: z.string(),
    parent_id: z.string().nullable(),
    depth: z.number(),
    goal: z.string(),
    model: z.string().nullable(),
    started_at: z.number(),
    status: z.string(),
    tool_count: z.number(),
    last_tool: z.string().optional(),
    /** The session whose call it works for, and its own, which can be resumed like any other. */
    session_id: z.string(),
    child_session_id: z.string(),
  }),
);

export const ProcessWire = named(
  "Process",
  z.object({
    process_id: z.string(),
    command: z.string(),
    status: z.enum(["running", "ended"]),
    started_at: z.number(),
    /** Bytes that it has printed. */
    bytes: z.number(),
    exit_code: z.number().optional(),
    signal: z.string().optional(),
    /** Another process of the agent runs it: it can neither be read nor ended here. */
    elsewhere: z.literal(true).optional(),
  }),
);

/** A prompt that runs beside a session. */
export const BackgroundTaskWire = z.object({ task_id: z.string(), text: z.string() });

/** A command that runs in the background, wherever. */
export const RunningProcessWire = ProcessWire.pick({ process_id: true, command: true, started_at: true });

/** The end of a command in the background. */
export const EndedProcessWire = ProcessWire.pick({
  process_id: true,
  command: true,
  exit_code: true,
  signal: true,
}).extend({
  /** It ended because the agent did that ran it. */
  with_host: z.literal(true).optional(),
  /** A call of the model saw the end. */
  heard: z.literal(true).optional(),
});

const TreeWire = z.object({
  session_id: z.string(),
  started_at: z.number().nullable(),
  finished_at: z.number(),
  label: z.string(),
  subagents: z.array(z.record(z.string(), z.unknown())),
});

const { subagents: _subagents, ...entry } = TreeWire.shape;
const TreeEntry = z.object({ path: z.string(), ...entry, count: z.number() });

const missing = 4000;
const oneProcess = { wrong: { process_id: 4012 }, codes: { not_found: 4044 } } as const;

/** The methods for what runs beside the turn: background processes and subagents. */
export const PROCESS_METHODS = {
  "process.stop": sessionMethod({
    summary: "Ends all background processes: of one session, or of the whole process.",
    params: z.object({ session_id: z.string().optional() }),
    result: z.object({ killed: z.number() }),
    codes: { internal: 5010 },
  }),
  "process.background": sessionMethod({
    summary:
      "Lets commands that the turn or this session's people wait for go on in the background: the one of a call (`tool_id`) or of `shell.exec` (`stream_id`), or all.",
    params: z.object({
      session_id: z.string(),
      tool_id: z.string().optional(),
      stream_id: z.string().optional(),
    }),
    result: z.object({ processes: z.array(ProcessWire) }),
    codes: { limit_exceeded: 4029 },
  }),
  "process.list": sessionMethod({
    summary: "The commands in the background of a session; some that are over, too.",
    params: z.object({ session_id: z.string() }),
    result: z.object({ processes: z.array(ProcessWire) }),
  }),
  "process.output": sessionMethod({
    summary: "The end of what a command in the background has printed.",
    params: z.object({ session_id: z.string(), process_id: z.string() }),
    result: z.object({ output: z.string() }),
    ...oneProcess,
  }),
  "process.kill": sessionMethod({
    summary: "Ends a command in the background.",
    params: z.object({ session_id: z.string(), process_id: z.string() }),
    result: z.object({ killed: z.boolean() }),
    ...oneProcess,
  }),
  "delegation.status": method({
    summary: "The subagents that run.",
    params: z.object({}),
    result: z.object({
      active: z.array(ActiveSubagentWire),
      paused: z.boolean(),
      max_spawn_depth: z.number(),
      max_concurrent_children: z.number(),
    }),
  }),
  "delegation.pause": method({
    summary: "Makes new subagents wait, or lets them go on.",
    params: z.object({ paused: z.boolean().default(true) }),
    result: z.object({ paused: z.boolean() }),
  }),
  "subagent.interrupt": method({
    summary: "Stops a subagent at its next step.",
    params: z.object({ subagent_id: z.string().min(1) }),
    result: z.object({ found: z.boolean(), subagent_id: z.string() }),
    wrong: { subagent_id: missing },
  }),
  "spawn_tree.save": method({
    summary: "Keeps a client's record of what subagents did.",
    params: z.object({
      subagents: z.array(z.record(z.string(), z.unknown())).min(1),
      session_id: z.string().default("default"),
      started_at: z.number().nullable().optional(),
      finished_at: z.number().optional(),
      label: z.string().default(""),
    }),
    result: z.object({ path: z.string(), session_id: z.string() }),
    codes: { internal: 5000 },
    wrong: { subagents: missing },
  }),
  "spawn_tree.list": method({
    summary: "The records of one session, or of all; the newest first.",
    params: z.object({
      session_id: z.string().default("default"),
      limit: z.int().min(1).max(1000).default(50),
      cross_session: z.boolean().default(false),
    }),
    result: z.object({ entries: z.array(TreeEntry) }),
  }),
  "spawn_tree.load": method({
    summary: "One record, as it was saved.",
    params: z.object({ path: z.string().min(1) }),
    result: TreeWire,
    codes: { not_found: 5000, internal: 5000 },
    wrong: { path: missing },
  }),
} as const;

/** A tree of subagents that is kept. */
export type SpawnTree = z.output<typeof TreeWire>;
/** A tree of subagents that was kept; times in Unix seconds. */
export type SpawnTreeEntry = z.output<typeof TreeEntry>;
/** A subagent that runs. */
export type ActiveSubagentWire = z.output<typeof ActiveSubagentWire>;
/** A command in the background. */
export type ProcessWire = z.output<typeof ProcessWire>;
