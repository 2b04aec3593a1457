import { z } from "zod";
import { SessionChat, SessionCreate, SessionFork, SessionPatchBody } from "./api/sessions/request.ts";
import type { ApiApp } from "./kit/context.ts";
import { ChatRequest } from "./v1/chat/request.ts";
import { ResponseRequest } from "./v1/responses/request.ts";
import { ApprovalBody, RunRequest } from "./v1/runs/request.ts";

interface Operation {
  readonly summary: string;
  readonly body?: z.ZodType;
  /** Of a success; 200 by default. */
  readonly status?: number;
  /** It answers, or can answer, with an event stream. */
  readonly stream?: "always" | "asked";
  readonly query?: readonly string[];
  /** It begins work: `Idempotency-Key` is honoured. */
  readonly starts?: true;
  /** It needs no key. */
  readonly open?: true;
}

/** Every operation of the API; what a body may hold comes from the schema that checks it. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET /health": { summary: "Whether the server is there", open: true },
  "GET /v1/health": { summary: "Whether the server is there", open: true },
  "GET /health/detailed": { summary: "Health with readiness, load and resources" },
  "GET /metrics": { summary: "Counters and gauges in the text format of Prometheus" },
  "GET /v1/models": { summary: "The agent as a model" },
  "GET /v1/models/{model}": { summary: "The agent as a model" },
  "GET /v1/capabilities": { summary: "Features and endpoints of this version" },
  "GET /v1/skills": { summary: "The agent's skills" },
  "GET /v1/toolsets": { summary: "The agent's toolsets" },
  "GET /v1/openapi.json": { summary: "This document" },
  "POST /v1/chat/completions": {
    summary: "Answer a conversation",
    body: ChatRequest,
    stream: "asked",
    starts: true,
  },
  "POST /v1/responses": { summary: "Respond to input", body: ResponseRequest, stream: "asked", starts: true },
  "GET /v1/responses/{response_id}": { summary: "A stored response" },
  "DELETE /v1/responses/{response_id}": { summary: "Delete a stored response" },
  "POST /v1/runs": { summary: "Begin a run", body: RunRequest, status: 202, starts: true },
  "GET /v1/runs": { summary: "The runs of a session", query: ["session_id"] },
  "GET /v1/runs/{run_id}": { summary: "How a run stands" },
  "GET /v1/runs/{run_id}/events": {
    summary: "The events of a run, from any cursor",
    stream: "always",
    query: ["after"],
  },
  "POST /v1/runs/{run_id}/stop": { summary: "Stop a run" },
  "POST /v1/runs/{run_id}/approval": { summary: "Answer an approval of a run", body: ApprovalBody },
  "POST /v1/runs/{run_id}/steer": { summary: "Say something to the running agent" },
  "GET /api/jobs": { summary: "List jobs", query: ["include_disabled"] },
  "POST /api/jobs": { summary: "Make a job" },
  "GET /api/jobs/{job_id}": { summary: "A job with its last run" },
  "PATCH /api/jobs/{job_id}": { summary: "Change a job" },
  "DELETE /api/jobs/{job_id}": { summary: "Remove a job and stop its run" },
  "POST /api/jobs/{job_id}/pause": { summary: "Let due times pass" },
  "POST /api/jobs/{job_id}/resume": { summary: "Go on with the next due time" },
  "POST /api/jobs/{job_id}/run": { summary: "Run a job now" },
  "GET /api/sessions": {
    summary: "List sessions",
    query: ["limit", "offset", "source", "include_children", "title", "search"],
  },
  "POST /api/sessions": { summary: "Make an empty session", body: SessionCreate, status: 201 },
  "GET /api/sessions/{session_id}": { summary: "A session" },
  "PATCH /api/sessions/{session_id}": { summary: "Change title or end", body: SessionPatchBody },
  "DELETE /api/sessions/{session_id}": { summary: "Delete a session for good" },
  "GET /api/sessions/{session_id}/messages": {
    summary: "The messages of a session",
    query: ["limit", "offset", "order"],
  },
  "POST /api/sessions/{session_id}/fork": { summary: "Branch a session", body: SessionFork, status: 201 },
  "POST /api/sessions/{session_id}/chat": { summary: "One turn, whole", body: SessionChat, starts: true },
  "POST /api/sessions/{session_id}/chat/stream": {
    summary: "One turn, as it goes",
    body: SessionChat,
    stream: "always",
    starts: true,
  },
};

/** Serves the document that describes the API, OpenAPI 3.1. */
export function openApiRoute(app: ApiApp, about: { readonly version: string }): void {
  let text: string | undefined;
  app.get("/v1/openapi.json", (c) => {
    text ??= JSON.stringify(document(about.version));
    return c.newResponse(text, 200, { "content-type": "application/json" });
  });
}

function document(version: string) {
  const schemas: Record<string, unknown> = { Error: ERROR };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const [method = "", path = ""] = name.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(path, operation, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Agent API server", version },
    security: [{ bearer: [] }],
    paths,
    components: { schemas, securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
  };
}

const ERROR = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["message", "type", "param", "code"],
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: ["string", "null"] },
      },
    },
  },
};

function describe(path: string, operation: Operation, schemas: Record<string, unknown>) {
  const { summary, body, status = 200, stream, query = [], starts, open } = operation;
  const json = stream === "always" ? {} : { "application/json": { schema: { type: ["object", "array"] } } };
  const events = stream === undefined ? {} : { "text/event-stream": { schema: { type: "string" } } };
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter("path", name ?? "", true)),
    ...query.map((name) => parameter("query", name, name === "session_id")),
    ...(starts === undefined
      ? []
      : [parameter("header", "Idempotency-Key"), parameter("header", "X-Agent-Session-Key")]),
  ];
  return {
    summary,
    ...(open === undefined ? {} : { security: [] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: { required: true, content: { "application/json": { schema: named(body, schemas) } } },
        }),
    responses: {
      [status]: { description: "Done", content: { ...json, ...events } },
      default: {
        description: "Refused",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

const parameter = (where: "path" | "query" | "header", name: string, required = false) => ({
  name,
  in: where,
  required,
  schema: { type: "string" },
});

/** Puts a body's schema among the others, under the name that it has. */
function named(body: z.ZodType, schemas: Record<string, unknown>): { readonly $ref: string } {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(body, { io: "input" });
  const name = body.meta()?.title ?? "Body";
  schemas[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}
