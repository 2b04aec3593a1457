import type { z } from "zod";
import type { HttpApp, HttpContext } from "./context.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** The description of an operation of the API, for the OpenAPI document. */
export interface Operation {
  /** Its `operationId`. */
  readonly id: string;
  readonly summary: string;
  /** Its name in the list of endpoints of `GET /v1/capabilities`; absent, it is not listed. */
  readonly endpoint?: string;
  /** The schema that checks the body. */
  readonly body?: z.ZodType;
  readonly bodyOptional?: true;
  /** The body is a file as it is, `application/octet-stream`. */
  readonly file?: true;
  /** The schema of a success; any object or array by default. */
  readonly answer?: z.ZodType;
  /** The status of a success; 200 by default. */
  readonly status?: number;
  /** It answers with an event stream: always, or when the request asks for one. */
  readonly stream?: "always" | "asked";
  /** It answers with plain text. */
  readonly plain?: true;
  readonly query?: readonly string[];
  /** Headers that it reads, beside those of every route that starts work. */
  readonly headers?: readonly string[];
  /** It starts work: it reads `Idempotency-Key`, `X-Agent-Session-Key`, `X-Agent-Model`, `X-Agent-Persona` and `X-Agent-Tools`. */
  readonly starts?: true;
  /** It needs no key. */
  readonly open?: true;
  /** Its errors are `{"error": "<text>"}`. */
  readonly shortErrors?: true;
}

/** The handler of a route. @param id - the value of the path's first parameter; empty if it has none */
type Handle<Api> = (c: HttpContext, api: Api, id: string) => Response | Promise<Response>;

/** One operation of the API: its address, its description and its handler. */
export interface ApiRoute<Api = never> extends Operation {
  readonly method: string;
  readonly path: string;
  readonly handle: Handle<Api>;
}

/** Declares a route. @param address - method and path, whose parameters are in braces: `GET /v1/runs/{run_id}` */
export function route<Api>(
  address: `${Method} /${string}`,
  handle: Handle<Api>,
  operation: Operation,
): ApiRoute<Api> {
  const [method = "", path = ""] = address.split(" ");
  return { ...operation, method, path, handle };
}

const PARAMETER = /\{(\w+?)(?:_id)?\}/g;

/** Adds routes to an app. A parameter `{run_id}` is called `run` there, and so in the metrics. */
export function addRoutes<Api>(app: HttpApp, api: Api, routes: readonly ApiRoute<Api>[]): void {
  for (const { method, path, handle } of routes) {
    const [name] = [...path.matchAll(PARAMETER)].map(([, each = ""]) => each);
    app.on(method, path.replace(PARAMETER, ":$1"), (c) =>
      handle(c, api, name === undefined ? "" : (c.req.param(name) ?? "")),
    );
  }
}
