import { z } from "zod";
import { named } from "./shapes.ts";

export const APPROVAL_CHOICES = ["once", "session", "always", "deny"] as const;

/** What an answer for ever may cover: the rules that are kept, each with what it covers. `folder` is absent where they hold everywhere. */
const AlwaysScopeWire = named(
  "AlwaysScope",
  z.object({
    id: z.string(),
    rules: z.array(z.string()),
    covers: z.array(z.string()),
    folder: z.string().optional(),
  }),
);

/** The facts of an approval that is asked for; `request_id` answers it. */
export const ApprovalWire = named(
  "Approval",
  z.object({
    request_id: z.string(),
    command: z.string(),
    description: z.string(),
    reasons: z.array(z.string()).optional(),
    /** More about the reasons, for who wants to know. */
    details: z.string().optional(),
    /** Of a command: whether it would run in the sandbox, or with all that the user may do. */
    place: z.enum(["inside", "outside"]).optional(),
    pattern_key: z.string(),
    pattern_keys: z.array(z.string()),
    covers: z.array(z.string()).optional(),
    choices: z.array(z.enum(APPROVAL_CHOICES)),
    allow_permanent: z.boolean(),
    /** What `always` may cover, the narrowest first: `scope` of the answer names one. Without one it covers `pattern_keys`, everywhere. */
    scopes: z.array(AlwaysScopeWire).optional(),
    allow_session: z.boolean(),
    tool_name: z.string(),
    tool_id: z.string(),
    timeout_s: z.number(),
    inline_diff: z.string().optional(),
  }),
);

/** An approval that is asked for. */
export type ApprovalWire = z.output<typeof ApprovalWire>;

export const ClarifyWire = named(
  "Clarify",
  z.object({
    request_id: z.string(),
    question: z.string(),
    choices: z.array(z.string()).nullable(),
    timeout_s: z.number(),
  }),
);

export const SudoWire = named(
  "Sudo",
  z.object({
    request_id: z.string(),
    command: z.string(),
    /** Who asks, when it is a subagent. */
    description: z.string().optional(),
    timeout_s: z.number(),
  }),
);

export const SecretWire = named(
  "Secret",
  z.object({ request_id: z.string(), env_var: z.string(), prompt: z.string(), timeout_s: z.number() }),
);

/** The end of a question, for everybody who showed it. */
export const ResolvedWire = named(
  "Resolved",
  z.object({
    request_id: z.string(),
    outcome: z.enum(["answered", "expired", "refused", "cancelled"]),
    choice: z.enum(APPROVAL_CHOICES).optional(),
    answer: z.string().optional(),
    by: z.string().optional(),
    reason: z.string().optional(),
  }),
);

const withSession = { session_id: z.string() };

/** One question of a clarification. */
const ClarifyQuestion = z.object({
  qid: z.string(),
  question: z.string(),
  choices: z.array(z.string()).optional(),
  multi_select: z.boolean(),
});

/** The requests that the host sends to a client with `server_requests`: what it asks, what it takes as an answer. */
export const SERVER_REQUESTS = {
  approval: {
    params: ApprovalWire.extend(withSession),
    result: z.object({
      choice: z.enum(APPROVAL_CHOICES),
      scope: z.string().optional(),
      all: z.boolean().optional(),
      note: z.string().optional(),
      reason: z.string().optional(),
    }),
  },
  clarify: {
    params: ClarifyWire.extend({
      ...withSession,
      choices: z.array(z.string()).optional(),
      questions: z.array(ClarifyQuestion),
    }),
    result: z.object({ answers: z.record(z.string(), z.string().nullable()).optional() }),
  },
  sudo: { params: SudoWire.extend(withSession), result: z.object({ value: z.string() }) },
  secret: { params: SecretWire.extend(withSession), result: z.object({ value: z.string() }) },
} as const;

/** The kinds of questions that may be asked of people. */
export type QuestionKind = keyof typeof SERVER_REQUESTS;

/** The params of a question of a kind. */
export type QuestionParams<K extends QuestionKind> = z.output<(typeof SERVER_REQUESTS)[K]["params"]>;

/** The result that answers a question of a kind. */
export type QuestionResult<K extends QuestionKind> = z.output<(typeof SERVER_REQUESTS)[K]["result"]>;

/** An open question as attach answers list it: the request that a client with `server_requests` gets. */
export const OpenRequest = named(
  "OpenRequest",
  z.discriminatedUnion("method", [
    z.object({ id: z.string(), method: z.literal("approval"), params: SERVER_REQUESTS.approval.params }),
    z.object({ id: z.string(), method: z.literal("clarify"), params: SERVER_REQUESTS.clarify.params }),
    z.object({ id: z.string(), method: z.literal("sudo"), params: SERVER_REQUESTS.sudo.params }),
    z.object({ id: z.string(), method: z.literal("secret"), params: SERVER_REQUESTS.secret.params }),
  ]),
);

/** An open question as a request to a client. */
export type OpenRequest = z.output<typeof OpenRequest>;
