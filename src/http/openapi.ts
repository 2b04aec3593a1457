import { z } from "zod";
import type { HttpApp } from "./server/context.ts";
import type { Operation } from "./operations.ts";

interface About {
  readonly version: string;
  /** By method and path. */
  readonly operations: Readonly<Record<string, Operation>>;
}

/** Serves the document that describes the API, OpenAPI 3.1. */
export function openApiRoute(app: HttpApp, about: About): void {
  let text: string | undefined;
  app.get("/v1/openapi.json", (c) => {
    text ??= JSON.stringify(document(about));
    return c.newResponse(text, 200, { "content-type": "application/json" });
  });
}

type Schemas = Record<string, unknown>;

function document({ version, operations }: About) {
  const schemas: Schemas = { Error: ERROR, ShortError: SHORT_ERROR };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, operation] of Object.entries(operations)) {
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

const SHORT_ERROR = { type: "object", required: ["error"], properties: { error: { type: "string" } } };

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function describe(path: string, operation: Operation, schemas: Schemas) {
  const { id, summary, body, bodyOptional, status = 200, open, shortErrors } = operation;
  const parameters = parametersOf(path, operation);
  // What is refused at the door is refused in the one form everywhere.
  const refused =
    shortErrors === undefined ? refTo("Error") : { anyOf: [refTo("ShortError"), refTo("Error")] };
  return {
    operationId: id,
    summary,
    ...(open === undefined ? {} : { security: [] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: bodyOptional === undefined,
            content: { "application/json": { schema: named(body, "input", schemas) } },
          },
        }),
    responses: {
      [status]: { description: "Done", content: contentOf(operation, schemas) },
      default: { description: "Refused", content: { "application/json": { schema: refused } } },
    },
  };
}

const OF_WORK = ["Idempotency-Key", "X-Agent-Session-Key", "X-Agent-Model"];

function parametersOf(path: string, { query = [], headers = [], starts }: Operation) {
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter("path", name ?? "", true)),
    ...query.map((name) => parameter("query", name, name === "session_id")),
    ...[...(starts === undefined ? [] : OF_WORK), ...headers].map((name) => parameter("header", name)),
  ];
}

const parameter = (where: "path" | "query" | "header", name: string, required = false) => ({
  name,
  in: where,
  required,
  schema: { type: "string" },
});

function contentOf({ answer, stream, plain }: Operation, schemas: Schemas) {
  if (plain !== undefined) return { "text/plain": { schema: { type: "string" } } };
  const schema = answer === undefined ? { type: ["object", "array"] } : named(answer, "output", schemas);
  return {
    ...(stream === "always" ? {} : { "application/json": { schema } }),
    ...(stream === undefined ? {} : { "text/event-stream": { schema: { type: "string" } } }),
  };
}

/** Puts a schema among the others, under the name that it has. */
function named(schema: z.ZodType, io: "input" | "output", schemas: Schemas): { readonly $ref: string } {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io });
  const name = schema.meta()?.title ?? "Body";
  schemas[name] = described;
  return refTo(name);
}
