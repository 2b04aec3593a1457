import { createHash } from "node:crypto";
import { defined } from "../../shared/json/defined.ts";
import { ruleWords } from "../../shared/text/rule-words.ts";
import { visible } from "../../shared/text/visible.ts";
import {
  type AlwaysScope,
  type DiffContent,
  type OpenQuestion,
  type QuestionRequest,
  type QuestionResolved,
  questionText,
  type ToolContent,
} from "../../core/index.ts";
import type { EventBody } from "../protocol/events.ts";
import {
  type ApprovalWire,
  type OpenRequest,
  type QuestionKind,
  SERVER_REQUESTS,
} from "../protocol/question.ts";
import { seconds } from "./time.ts";

/** More choices than this, clients have no room for. */
const MOST_CHOICES = 4;

type Diff = (change: DiffContent, most?: number) => string;

/** The id of a question as a request of the host: the same on every connection and in every life of the host. */
export function serverRequestId(sessionId: string, requestId: string): string {
  const digest = createHash("sha256").update(`${sessionId}\n${requestId}`).digest("hex");
  return `srq-${digest.slice(0, 12)}`;
}

/** An open question as a request to the client. */
export function encodeOpenRequest(sessionId: string, request: QuestionRequest, diff: Diff): OpenRequest {
  const base = { id: serverRequestId(sessionId, request.requestId) };
  const session = { session_id: sessionId };
  switch (request.type) {
    case "approval.request":
      return { ...base, method: "approval", params: { ...session, ...approvalPayload(request, diff) } };
    case "clarify.request": {
      const { choices, ...rest } = clarifyPayload(request);
      const given = choices === null ? {} : { choices };
      const one = { qid: CLARIFY_QID, question: rest.question, ...given, multi_select: false };
      return { ...base, method: "clarify", params: { ...session, ...rest, ...given, questions: [one] } };
    }
    case "sudo.request":
      return { ...base, method: "sudo", params: { ...session, ...sudoPayload(request) } };
    case "secret.request":
      return { ...base, method: "secret", params: { ...session, ...secretPayload(request) } };
  }
}

/** An event that asks a question. */
export type QuestionEvent = Extract<EventBody, { readonly type: `${QuestionKind}.request` }>;

const QUESTION_EVENTS = new Set<string>(Object.keys(SERVER_REQUESTS).map((kind) => `${kind}.request`));

/** Whether an event asks a question, which clients with `server_requests` get as a request. */
export const isQuestionEvent = (body: EventBody): body is QuestionEvent => QUESTION_EVENTS.has(body.type);

/** The same question as an event, for a client that takes no requests. */
export function questionEvent({ method, params }: OpenRequest): QuestionEvent {
  const { session_id: _session, questions: _questions, ...given } = { questions: undefined, ...params };
  // Clients of this event expect the key, also when there is nothing to choose from.
  const payload = method === "clarify" ? { choices: null, ...given } : given;
  // Method and params belong together; TypeScript cannot follow that through the spread.
  return { type: `${method}.request`, payload } as QuestionEvent;
}

/** Our clarifications ask one thing. */
export const CLARIFY_QID = "q1";

export const encodeOpenRequests = (
  sessionId: string,
  questions: readonly OpenQuestion[],
  diff: Diff,
): OpenRequest[] => questions.map(({ request }) => encodeOpenRequest(sessionId, request, diff));

export function approvalPayload(
  request: Extract<QuestionRequest, { type: "approval.request" }>,
  diff: Diff,
): ApprovalWire {
  const {
    requestId,
    choices,
    toolName,
    callId,
    timeoutMs,
    content,
    place,
    reasons = [],
    details = "",
    scopes,
  } = request;
  const { exact: command, words: description, patterns } = questionText(request);
  const changes = visible(diffsOf(content ?? [], (change) => diff(change, Number.POSITIVE_INFINITY)));
  return {
    request_id: requestId,
    command,
    description,
    pattern_key: patterns[0] ?? "",
    pattern_keys: [...patterns],
    ...(reasons.length === 0 ? {} : { reasons: reasons.map(visible) }),
    ...(details === "" ? {} : { details: visible(details) }),
    covers: patterns.map((pattern) => visible(ruleWords(pattern))),
    ...defined({ place }),
    choices: [...choices],
    allow_permanent: choices.includes("always"),
    ...defined({ scopes: scopes?.map(encodeScope) }),
    allow_session: choices.includes("session"),
    tool_name: toolName,
    tool_id: callId,
    timeout_s: seconds(timeoutMs),
    ...(changes === "" ? {} : { inline_diff: changes }),
  };
}

/** A scope of `always`, as clients are shown it. */
const encodeScope = ({ rules, ...scope }: AlwaysScope) => ({
  ...scope,
  rules: rules.map(visible),
  covers: rules.map((rule) => visible(ruleWords(rule))),
});

export function clarifyPayload(request: Extract<QuestionRequest, { type: "clarify.request" }>): {
  request_id: string;
  question: string;
  choices: string[] | null;
  timeout_s: number;
} {
  const { requestId, choices, timeoutMs } = request;
  return {
    request_id: requestId,
    question: questionText(request).words,
    choices: choices.length === 0 ? null : choices.slice(0, MOST_CHOICES),
    timeout_s: seconds(timeoutMs),
  };
}

export function sudoPayload(request: Extract<QuestionRequest, { type: "sudo.request" }>) {
  const { exact: command, words } = questionText(request);
  return {
    request_id: request.requestId,
    command,
    ...(words === "" ? {} : { description: words }),
    timeout_s: seconds(request.timeoutMs),
  };
}

export const secretPayload = (request: Extract<QuestionRequest, { type: "secret.request" }>) => ({
  request_id: request.requestId,
  env_var: request.envVar,
  prompt: questionText(request).words,
  timeout_s: seconds(request.timeoutMs),
});

/** Encodes the end of a question, for clients that showed it. */
export function resolvedPayload({ requestId, resolution }: QuestionResolved) {
  const base = { request_id: requestId, outcome: resolution.outcome };
  switch (resolution.outcome) {
    case "expired":
      return base;
    case "refused":
    case "cancelled":
      return { ...base, reason: resolution.reason };
    case "answered": {
      const { choice, text, by } = resolution;
      return {
        ...base,
        ...defined({ choice, answer: text }),
        by: by.surface,
      };
    }
  }
}

/** Why a request of the host needs no answer any more. */
export function cancelReason({ resolution }: QuestionResolved): "timeout" | "interrupted" | "resolved" {
  switch (resolution.outcome) {
    case "answered":
    case "refused":
      return "resolved";
    case "expired":
      return "timeout";
    case "cancelled":
      return "interrupted";
  }
}

/** The changes of files among a call's contents, as one text. */
export function diffsOf(content: readonly ToolContent[], diff: Diff): string {
  return content.flatMap((part) => (part.type === "diff" ? [diff(part)] : [])).join("\n");
}
