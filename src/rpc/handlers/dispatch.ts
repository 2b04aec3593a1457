import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { z } from "zod";
import type { Connection } from "../gateway/connection.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { GatewayRequest, GatewayResponse } from "../gateway/json-rpc-server.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND, rpcError, type RpcError } from "../gateway/rpc-error.ts";
import type { Method } from "../protocol/method.ts";
import { isMethod, METHODS } from "../protocol/methods.ts";
import { givenParams } from "./given-params.ts";
import type { HandlerContext } from "./handler.ts";
import { HANDLERS } from "./handlers.ts";

/** A handler whose parameters have been forgotten; `dispatch` gives each only what its own row let through. */
type AnyHandler = (params: unknown, context: HandlerContext) => Promise<object>;

/** Carries a request out: finds its method, checks its parameters, answers. Never rejects. */
export async function dispatch(
  gateway: GatewayContext,
  call: GatewayRequest,
  connection: Connection,
): Promise<GatewayResponse> {
  const { method: name, signal } = call;
  if (!isMethod(name)) return { error: unknownMethod(name) };
  const row: Method = METHODS[name];
  const given = givenParams(call.params, row);
  const parsed = row.params.safeParse(given);
  if (!parsed.success) return { error: wrongParams({ name, row, given }, parsed.error) };
  // The table of handlers has the type of the table of methods; the index makes TypeScript forget it.
  const handler = HANDLERS[name] as AnyHandler;
  const afterAnswer = call.afterAnswer.bind(call);
  try {
    return { result: await handler(parsed.data, { gateway, connection, signal, afterAnswer }) };
  } catch (thrown) {
    const error = signal.aborted
      ? new HostError("interrupted", `${name} was cancelled.`, { cause: thrown })
      : toHostError(thrown);
    if (error.code === "internal") gateway.report(error);
    return { error: rpcError(error, { name, row }) };
  }
}

/** Characters of a name that an error shows. */
const SHOWN = 80;

const unknownMethod = (name: string): RpcError => ({
  code: METHOD_NOT_FOUND,
  message: `There is no method ${JSON.stringify(name.slice(0, SHOWN).toWellFormed())}. \`agent rpc --schema\` lists all.`,
});

interface Asked {
  readonly name: string;
  readonly row: Method;
  readonly given: GatewayRequest["params"];
}

function wrongParams({ name, row, given }: Asked, { issues }: z.ZodError): RpcError {
  const [issue] = issues;
  const path = issue?.path.join(".") ?? "";
  const code = row.wrong?.[String(issue?.path[0] ?? "")] ?? INVALID_PARAMS;
  const what = path === "" ? "the parameters" : path;
  const missing = Object.hasOwn(row.params.shape, path) && given[path] === undefined;
  const fault = missing ? " is missing" : `: ${issue?.message ?? "not valid"}`;
  return { code, message: `${name}: ${what}${fault}.`, data: { code: "invalid_params", path } };
}
