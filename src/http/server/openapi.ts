import { z } from "zod";
import { defined } from "../../shared/json/defined.ts";
import { type ApiRoute, type Operation, route } from "./api-route.ts";

/** An operation as the document tells of it. */
type DescribedRoute = Operation & Pick<ApiRoute, "method" | "path">;

/** An API that a document describes. */
export interface DescribedApi {
  /** Where the document is. */
  readonly address: `GET /${string}`;
  readonly title: string;
  readonly version: string;
  /** The way in which requests say who asks, with its name. */
  readonly security: Readonly<Record<string, unknown>>;
  /** The document's name in the list of endpoints of `GET /v1/capabilities`. */
  readonly endpoint?: string;
}

/** Declares the route of the document that describes an API, OpenAPI 3.1. */
export function openApiRoute<Api>(
  about: DescribedApi,
  routes: () => readonly DescribedRoute[],
): ApiRoute<Api> {
  let text: string | undefined;
  return route<Api>(
    about.address,
    (c) => {
      text ??= JSON.stringify(document(about, routes()));
      return c.newResponse(text, 200, { "content-type": "application/json" });
    },
    { id: "openApi", summary: "This document", ...defined({ endpoint: about.endpoint }) },
  );
}

type Schemas = Record<string, unknown>;

function document({ title, version, security }: DescribedApi, routes: readonly DescribedRoute[]) {
  const schemas: Schemas = { Error: ERROR, ShortError: SHORT_ERROR };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describe(route, schemas) };
  return {
    openapi: "3.1.0",
    info: { title, version },
    security: Object.keys(security).map((name) => ({ [name]: [] })),
    paths,
    components: { schemas, securitySchemes: security },
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

function describe(route: DescribedRoute, schemas: Schemas) {
  const { id, summary, status = 200, open, shortErrors } = route;
  const parameters = parametersOf(route);
  // The middleware refuses in the one form everywhere.
  const error = shortErrors === undefined ? refTo("Error") : { anyOf: [refTo("ShortError"), refTo("Error")] };
  return {
    operationId: id,
    summary,
    ...defined({
      security: open === undefined ? undefined : [],
      parameters: parameters.length === 0 ? undefined : parameters,
      requestBody: requestBody(route, schemas),
    }),
    responses: {
      [status]: { description: "Done", content: contentOf(route, schemas) },
      default: { description: "Refused", content: { "application/json": { schema: error } } },
    },
  };
}

function requestBody({ body, bodyOptional, file }: DescribedRoute, schemas: Schemas) {
  if (file !== undefined) return { required: true, content: { "application/octet-stream": {} } };
  return (
    body && {
      required: bodyOptional === undefined,
      content: { "application/json": { schema: named(body, "input", schemas) } },
    }
  );
}

const STARTING_HEADERS = [
  "Idempotency-Key",
  "X-Agent-Session-Key",
  "X-Agent-Model",
  "X-Agent-Persona",
  "X-Agent-Tools",
];

function parametersOf({ path, query = [], headers = [], starts }: DescribedRoute) {
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter("path", name ?? "", true)),
    ...query.map((name) => parameter("query", name, name === "session_id")),
    ...[...(starts === undefined ? [] : STARTING_HEADERS), ...headers].map((name) =>
      parameter("header", name),
    ),
  ];
}

const parameter = (where: "path" | "query" | "header", name: string, required = false) => ({
  name,
  in: where,
  required,
  schema: { type: "string" },
});

function contentOf({ answer, stream, plain }: DescribedRoute, schemas: Schemas) {
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
