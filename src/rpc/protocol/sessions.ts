import { z } from "zod";
import { method, sessionMethod } from "./method.ts";
import { BackgroundTaskWire, RunningProcessWire } from "./processes.ts";
import { OpenRequest } from "./question.ts";
import { LiveStatus, SessionInfo, Waiting } from "./session-info.ts";
import { InflightTurn, TranscriptMessage } from "./transcript-message.ts";
import { named } from "./shapes.ts";

const cols = z.int().min(1).max(10_000).optional();

const Platform = z.enum(["cli", "tui", "acp", "api_server", "webhook", "job", "chat", "app", "library"]);

const Doing = z
  .enum(["working", "asking", "parked"])
  .describe("A turn runs, a question is open, the budget is used up.");
const Person = z
  .string()
  .describe("Who wrote to it: `owner`, `telegram:42`, `dashboard:operator`, or a surface.");

/** A session among the stored ones. Times are Unix seconds. */
export const SessionListing = named(
  "SessionListing",
  z.object({
    id: z.string(),
    title: z.string(),
    preview: z.string(),
    started_at: z.number(),
    last_active: z.number(),
    message_count: z.number(),
    source: z.string(),
    /** The surface that began it. */
    platform: Platform,
    cwd: z.string(),
    model: z.string(),
    /** Who wrote to it: `owner`, `telegram:42`, `dashboard:operator`, or a surface. */
    people: z.array(z.string()),
    status: LiveStatus,
    /** What it waits for, when it does; a used-up budget among it. */
    waiting: Waiting.optional(),
    parent_id: z.string().optional(),
    /** Why the newest turn was interrupted, when it was. */
    interrupted: z.string().optional(),
    damaged: z.boolean(),
  }),
);

/** A place where all words of a search stand. `row_id` is that of the line in the transcript, or of the next one after it. */
export const SearchMatch = named(
  "SearchMatch",
  z.object({
    kind: z.enum(["title", "prompt", "answer", "tool"]),
    row_id: z.number(),
    timestamp: z.number(),
    turn_id: z.string().optional(),
    text: z.string(),
    /** Begin and end of each found word in `text`, in UTF-16 units. */
    marks: z.array(z.tuple([z.number(), z.number()])),
  }),
);

/** A session among the open ones. */
export const LiveListing = named(
  "LiveListing",
  z.object({
    id: z.string(),
    session_key: z.string(),
    current: z.boolean(),
    status: LiveStatus,
    waiting: Waiting.optional(),
    title: z.string(),
    preview: z.string(),
    model: z.string(),
    message_count: z.number(),
    started_at: z.number(),
    last_active: z.number(),
    queued: z.number(),
    clients: z.number(),
    source: z.string(),
    /** The surface that began it. */
    platform: Platform,
    cwd: z.string(),
    /** Why the newest turn was interrupted, when it was. */
    interrupted: z.string().optional(),
  }),
);

/** The data that a client needs to show a session. */
export const Attached = z.object({
  session_id: z.string(),
  session_key: z.string(),
  stored_session_id: z.string(),
  seq: z.number(),
  epoch: z.string(),
  message_count: z.number(),
  messages: z.array(TranscriptMessage),
  messages_omitted: z.boolean(),
  before: z.number().optional(),
  info: SessionInfo,
  running: z.boolean(),
  started_at: z.number(),
  status: LiveStatus,
  waiting: Waiting.optional(),
  inflight: InflightTurn.nullable(),
  queued: z.object({ user: z.string() }).optional(),
  open_requests: z.array(OpenRequest),
  /** Prompts that run beside the session; older gateways do not say. */
  background: z.array(BackgroundTaskWire).optional(),
  /** Commands that run in the background; older gateways do not say. */
  processes: z.array(RunningProcessWire).optional(),
});

/** The data that a client needs to show a session. */
export type Attached = z.output<typeof Attached>;

const SeedMessage = z.looseObject({ role: z.string() });

const attachOptions = {
  cols,
  omit_messages: z.boolean().default(false),
  last_seen: z.int().min(0).optional(),
  replay_turn: z
    .boolean()
    .default(false)
    .describe("The running turn comes as its events, from its beginning; `inflight` has nothing of it."),
};

/** Finding, making and leaving sessions. */
export const SESSION_METHODS = {
  "session.create": method({
    inOrder: true,
    summary: "Makes a session and follows it.",
    params: z.object({
      cols,
      session_id: z.string().optional(),
      messages: z.array(SeedMessage).default([]),
      title: z.string().default(""),
      parent_session_id: z.string().optional(),
      cwd: z.string().optional(),
      source: z.string().default("tui"),
      model: z.string().optional(),
      provider: z.string().optional(),
      reasoning_effort: z.string().optional(),
      fast: z.boolean().optional(),
      mode: z.enum(["ask", "edits", "plan", "all"]).optional(),
      close_on_disconnect: z.boolean().default(false),
    }),
    result: Attached,
    about: "session_id",
  }),
  "session.list": method({
    summary: "Lists stored sessions, the newest activity first.",
    params: z.object({
      limit: z.int().min(1).max(10_000).default(200),
      offset: z.int().min(0).default(0),
      search: z.string().optional(),
      source: z.string().optional(),
      cwd: z.string().optional(),
      platform: Platform.optional(),
      doing: Doing.optional(),
      person: Person.optional(),
      cursor: z.string().optional().describe("That of the page before; it goes on where that ended."),
      include_children: z.boolean().default(false),
    }),
    result: z.object({
      sessions: z.array(SessionListing),
      cursor: z.string().optional().describe("For the next page; absent at the end."),
    }),
  }),
  "session.search": method({
    summary:
      'Finds stored sessions by what was said in them: all words, `"a phrase"`, the last word and `words*` as beginnings. Among the newest places the best first; `complete` is false while older ones are still read into the index.',
    params: z.object({
      query: z.string(),
      limit: z.int().min(1).max(200).default(20),
      cursor: z.string().optional(),
      source: z.string().optional(),
      platform: Platform.optional(),
      doing: Doing.optional(),
      person: Person.optional(),
      cwd: z.string().optional(),
      include_children: z.boolean().default(false),
    }),
    result: z.object({
      hits: z.array(
        z.object({
          session: SessionListing,
          match: SearchMatch,
          /** The places that were found in it so far. */
          places: z.number(),
        }),
      ),
      /** For the next page; absent at the end. */
      cursor: z.string().optional(),
      complete: z.boolean(),
    }),
    about: "query",
  }),
  "session.active_list": method({
    summary: "Lists the sessions that are open in this process, in the order in which they were opened.",
    params: z.object({ current_session_id: z.string().optional() }),
    result: z.object({ sessions: z.array(LiveListing) }),
  }),
  "session.activate": sessionMethod({
    inOrder: true,
    summary: "Follows a session that is open in this process.",
    params: z.object({ session_id: z.string(), ...attachOptions }),
    result: Attached,
  }),
  "session.resume": method({
    summary:
      "Opens a stored session, by its id, its exact title or the beginning of its id, and follows it; with `last_seen`, after that number. `note` says which of several with one title it is.",
    params: z.object({
      session_id: z.string().min(1),
      source: z.string().optional(),
      lazy: z.boolean().default(false),
      eager_build: z.boolean().default(false),
      close_on_disconnect: z.boolean().default(false),
      ...attachOptions,
    }),
    result: Attached.extend({ resumed: z.string(), note: z.string().optional() }),
    codes: { conflict: 4006 },
    wrong: { session_id: 4006 },
  }),
  "session.close": sessionMethod({
    summary:
      "Stops following a session. The last client that leaves an open session also stops its turn and marks it as ended.",
    params: z.object({ session_id: z.string() }),
    result: z.object({ closed: z.boolean() }),
  }),
  "session.delete": method({
    inOrder: true,
    summary: "Deletes a stored session for good.",
    params: z.object({ session_id: z.string().min(1) }),
    result: z.object({ deleted: z.string() }),
    codes: { session_busy: 4023 },
    wrong: { session_id: 4006 },
  }),
  "session.most_recent": method({
    summary:
      "The session that a person had last in a client, in a folder or anywhere; without one, the newest that no webhook and no job had, if there is any.",
    params: z.object({ cwd: z.string().optional() }),
    result: z.object({
      session_id: z.string().nullable(),
      title: z.string().optional(),
      preview: z.string().optional(),
      started_at: z.number().optional(),
      last_active: z.number().optional(),
      source: z.string().optional(),
      platform: Platform.optional(),
      /** A person had it in a client such as the terminal's. */
      in_client: z.boolean().optional(),
    }),
  }),
} as const;
