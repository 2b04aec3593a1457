import { z } from "zod";
import type { JobService } from "./api/jobs/routes.ts";
import { SessionChat, SessionCreate, SessionFork, SessionPatchBody } from "./api/sessions/request.ts";
import { ChatRequest } from "./v1/chat/request.ts";
import { ResponseRequest } from "./v1/responses/request.ts";
import { ApprovalBody, RunBody, SteerBody } from "./v1/runs/request.ts";

/** One operation of the API, for the document that describes it. */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  /** The schema that checks the body. */
  readonly body?: z.ZodType;
  /** The body may be left out. */
  readonly bodyOptional?: true;
  /** What a success answers; an object or array by default. */
  readonly answer?: z.ZodType;
  /** Of a success; 200 by default. */
  readonly status?: number;
  /** It answers, or can answer, with an event stream. */
  readonly stream?: "always" | "asked";
  /** It answers with plain text. */
  readonly plain?: true;
  readonly query?: readonly string[];
  /** Headers that it heeds, beside those of everything that begins work. */
  readonly headers?: readonly string[];
  /** It begins work: `Idempotency-Key`, `X-Agent-Session-Key` and `X-Agent-Model` are heeded. */
  readonly starts?: true;
  /** It needs no key. */
  readonly open?: true;
  /** Its errors are `{"error": "<text>"}`. */
  readonly shortErrors?: true;
}

type Operations = Readonly<Record<string, Operation>>;

/** Every operation of the API; what a body may hold comes from the schema that checks it. */
export const operations = (jobs: JobService["shapes"] | undefined): Operations => ({
  ...DISCOVERY,
  ...V1,
  ...SESSIONS,
  ...jobOperations(jobs),
});

const DISCOVERY: Operations = {
  "GET /health": { id: "health", summary: "Whether the server is there", open: true },
  "GET /v1/health": { id: "healthOfV1", summary: "Whether the server is there", open: true },
  "GET /health/detailed": { id: "detailedHealth", summary: "Health with readiness, load and resources" },
  "GET /metrics": {
    id: "metrics",
    summary: "Counters and gauges in the text format of Prometheus",
    plain: true,
  },
  "GET /v1/models": { id: "listModels", summary: "The agent as a model" },
  "GET /v1/models/{model}": { id: "getModel", summary: "The agent as a model" },
  "GET /v1/capabilities": { id: "capabilities", summary: "Features and endpoints of this version" },
  "GET /v1/skills": { id: "listSkills", summary: "The agent's skills" },
  "GET /v1/toolsets": { id: "listToolsets", summary: "The agent's toolsets" },
  "GET /v1/openapi.json": { id: "openApi", summary: "This document" },
};

const V1: Operations = {
  "POST /v1/chat/completions": {
    id: "createChatCompletion",
    summary: "Answer a conversation",
    body: ChatRequest,
    stream: "asked",
    starts: true,
    headers: ["X-Agent-Session-Id"],
  },
  "POST /v1/responses": {
    id: "createResponse",
    summary: "Respond to input",
    body: ResponseRequest,
    stream: "asked",
    starts: true,
  },
  "GET /v1/responses/{response_id}": {
    id: "getResponse",
    summary: "A stored response; one made in the background can be streamed again from any event",
    stream: "asked",
    query: ["stream", "starting_after"],
  },
  "DELETE /v1/responses/{response_id}": { id: "deleteResponse", summary: "Delete a stored response" },
  "POST /v1/responses/{response_id}/cancel": {
    id: "cancelResponse",
    summary: "Stop a response that was made in the background",
  },
  "GET /v1/responses/{response_id}/input_items": {
    id: "listInputItems",
    summary: "What a response was asked, in pages",
    query: ["limit", "order", "after", "include"],
  },
  "POST /v1/runs": { id: "createRun", summary: "Begin a run", body: RunBody, status: 202, starts: true },
  "GET /v1/runs": { id: "listRuns", summary: "The runs of a session", query: ["session_id"] },
  "GET /v1/runs/{run_id}": { id: "getRun", summary: "How a run stands" },
  "GET /v1/runs/{run_id}/events": {
    id: "streamRun",
    summary: "The events of a run, from any cursor",
    stream: "always",
    query: ["after"],
    headers: ["Last-Event-ID"],
  },
  "POST /v1/runs/{run_id}/stop": { id: "stopRun", summary: "Stop a run" },
  "POST /v1/runs/{run_id}/approval": {
    id: "answerApproval",
    summary: "Answer an approval of a run",
    body: ApprovalBody,
  },
  "POST /v1/runs/{run_id}/steer": {
    id: "steerRun",
    summary: "Say something to the running agent",
    body: SteerBody,
  },
};

const SESSIONS: Operations = {
  "GET /api/sessions": {
    id: "listSessions",
    summary: "List sessions",
    query: ["limit", "offset", "source", "include_children", "title", "search"],
  },
  "POST /api/sessions": {
    id: "createSession",
    summary: "Make an empty session",
    body: SessionCreate,
    bodyOptional: true,
    status: 201,
  },
  "GET /api/sessions/{session_id}": { id: "getSession", summary: "A session" },
  "PATCH /api/sessions/{session_id}": {
    id: "patchSession",
    summary: "Change title or end",
    body: SessionPatchBody,
  },
  "DELETE /api/sessions/{session_id}": { id: "deleteSession", summary: "Delete a session for good" },
  "GET /api/sessions/{session_id}/messages": {
    id: "listMessages",
    summary: "The messages of a session",
    query: ["limit", "offset", "order"],
  },
  "POST /api/sessions/{session_id}/fork": {
    id: "forkSession",
    summary: "Branch a session",
    body: SessionFork,
    bodyOptional: true,
    status: 201,
  },
  "POST /api/sessions/{session_id}/chat": {
    id: "chatInSession",
    summary: "One turn, whole",
    body: SessionChat,
    starts: true,
  },
  "POST /api/sessions/{session_id}/chat/stream": {
    id: "streamInSession",
    summary: "One turn, as it goes",
    body: SessionChat,
    stream: "always",
    starts: true,
  },
};

/** @param shapes - absent where there is no scheduler: then nothing is said of what would be sent */
function jobOperations(shapes: JobService["shapes"] | undefined): Operations {
  const record = shapes?.record ?? z.looseObject({});
  const one = { answer: z.object({ job: record }).meta({ title: "JobAnswer" }), shortErrors: true } as const;
  const all = z.object({ jobs: z.array(record) }).meta({ title: "JobList" });
  const gone = z.object({ ok: z.literal(true) }).meta({ title: "JobRemoved" });
  const takes = (body: z.ZodType | undefined) => (body === undefined ? {} : { body });
  return {
    "GET /api/jobs": {
      ...one,
      id: "listJobs",
      summary: "List jobs",
      query: ["include_disabled"],
      answer: all,
    },
    "POST /api/jobs": { ...one, id: "createJob", summary: "Make a job", ...takes(shapes?.draft) },
    "GET /api/jobs/{job_id}": { ...one, id: "getJob", summary: "A job with its last run" },
    "PATCH /api/jobs/{job_id}": { ...one, id: "patchJob", summary: "Change a job", ...takes(shapes?.patch) },
    "DELETE /api/jobs/{job_id}": {
      ...one,
      id: "deleteJob",
      summary: "Remove a job and stop its run",
      answer: gone,
    },
    "POST /api/jobs/{job_id}/pause": { ...one, id: "pauseJob", summary: "Let due times pass" },
    "POST /api/jobs/{job_id}/resume": { ...one, id: "resumeJob", summary: "Go on with the next due time" },
    "POST /api/jobs/{job_id}/run": {
      ...one,
      id: "runJob",
      summary: "Run a job now",
      bodyOptional: true,
      ...takes(shapes?.run),
    },
  };
}
