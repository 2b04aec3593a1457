import { z } from "zod";
import { type EventRow, EVENTS } from "./events.ts";
import type { Method } from "./method.ts";
import { METHODS } from "./methods.ts";
import { SERVER_REQUESTS } from "./question.ts";
import { SHAPES } from "./shapes.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * The whole protocol as an OpenRPC document. `x-events` are the notifications named `event`, by their `type`;
 * `x-server-requests` the requests that the gateway sends to clients with the capability `server_requests`.
 *
 * @param version - of the program that speaks it
 */
export function openRpcDocument(version: string): Schema {
  const shapes = new SharedShapes();
  const methods = Object.entries<Method>(METHODS).map(([name, row]) => methodEntry(name, row, shapes));
  const events = Object.entries<EventRow>(EVENTS).map(([type, { summary, session, payload }]) => ({
    type,
    summary,
    session,
    payload: shapes.schemaOf(payload, "output"),
  }));
  const requests = Object.entries(SERVER_REQUESTS).map(([name, { params, result }]) => ({
    name,
    params: shapes.schemaOf(params, "output"),
    result: shapes.schemaOf(result, "input"),
  }));
  return {
    openrpc: "1.3.2",
    info: { title: "agent gateway", version, description: "JSON-RPC 2.0 over stdio or WebSocket." },
    methods,
    components: { schemas: shapes.all },
    "x-events": events,
    "x-server-requests": requests,
  };
}

function methodEntry(name: string, { summary, params, result }: Method, shapes: SharedShapes): Schema {
  const required = new Set(requiredKeys(params));
  return {
    name,
    summary,
    paramStructure: "by-name",
    params: Object.entries(params.shape).map(([key, type]) => ({
      name: key,
      required: required.has(key),
      schema: shapes.schemaOf(type as z.ZodType, "input"),
    })),
    result: { name: "result", schema: shapes.schemaOf(result, "output") },
  };
}

function requiredKeys(params: z.ZodObject): readonly string[] {
  const { required = [] } = z.toJSONSchema(params, { io: "input", unrepresentable: "any" });
  return required;
}

const LOCAL = "#/$defs/";
const SHARED = "#/components/schemas/";

/** Shapes that have a name stand once; all others where they are used. */
class SharedShapes {
  readonly all: Record<string, unknown> = {};

  schemaOf(type: z.ZodType, io: "input" | "output"): Schema {
    const made = z.toJSONSchema(type, { io, metadata: SHAPES, unrepresentable: "any" });
    const { $schema: _dialect, $defs = {}, ...schema } = made;
    for (const [id, shape] of Object.entries($defs)) this.all[id] ??= moved(shape);
    const own = SHAPES.get(type)?.id;
    if (own === undefined) return moved(schema);
    this.all[own] ??= moved(schema);
    return { $ref: `${SHARED}${own}` };
  }
}

/** The same with its references pointing to where the shared shapes stand. */
function moved(schema: unknown): Schema {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (typeof value !== "string") return value;
    if (key === "$ref") return value.replace(LOCAL, SHARED);
    return key === "id" ? undefined : value;
  });
  const value: unknown = JSON.parse(text);
  // A schema is an object.
  return value as Schema;
}
