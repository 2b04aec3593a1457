import type { z } from "zod";
import { INTERNAL_ERROR, INVALID_PARAMS, type JsonRpcError, METHOD_NOT_FOUND } from "../../jsonrpc/index.ts";
import { ERROR_CODES, HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Connection } from "../gateway/connection.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { GatewayRequest, GatewayResponse } from "../gateway/json-rpc-server.ts";
import { ABSENT_FAMILIES } from "../protocol/absent.ts";
import { CHANGES, type ChangeDetails } from "../protocol/changes.ts";
import type { Method } from "../protocol/method.ts";
import { isMethod, type MethodName, METHODS } from "../protocol/methods.ts";
import { ABSENT_HANDLERS } from "./absent.ts";
import { ROLLBACK_HANDLERS } from "./rollback.ts";
import { ATTACHMENT_HANDLERS } from "./attachments.ts";
import { COMMAND_HANDLERS } from "./commands.ts";
import { CONNECTION_HANDLERS } from "./connection.ts";
import { CONNECTOR_HANDLERS } from "./connectors.ts";
import { CONVERSATION_HANDLERS } from "./conversation.ts";
import { TIMELINE_HANDLERS } from "./timeline.ts";
import { PROCESS_HANDLERS } from "./processes.ts";
import { PROMPT_HANDLERS } from "./prompts.ts";
import { QUESTION_HANDLERS } from "./questions.ts";
import { SESSION_HANDLERS } from "./sessions.ts";
import { SETTING_HANDLERS } from "./settings.ts";
import { SETUP_HANDLERS } from "./setup.ts";
import { SKILL_HANDLERS } from "./skills.ts";
import type { HandlerContext, HandlersOf } from "./handler.ts";

/** The handler of every method; one that is missing is a type error. */
export const HANDLERS: HandlersOf<typeof METHODS> = {
  ...PROMPT_HANDLERS,
  ...SESSION_HANDLERS,
  ...CONVERSATION_HANDLERS,
  ...TIMELINE_HANDLERS,
  ...QUESTION_HANDLERS,
  ...SETTING_HANDLERS,
  ...SETUP_HANDLERS,
  ...SKILL_HANDLERS,
  ...CONNECTOR_HANDLERS,
  ...COMMAND_HANDLERS,
  ...PROCESS_HANDLERS,
  ...ATTACHMENT_HANDLERS,
  ...CONNECTION_HANDLERS,
  ...ABSENT_HANDLERS,
  ...ROLLBACK_HANDLERS,
};

type Params = GatewayRequest["params"];

/** A handler whose parameters have been forgotten; `dispatch` gives each only what its own row let through. */
type AnyHandler = (params: unknown, context: HandlerContext) => Promise<object> | object;

/** The same of what a method changes. */
type AnyChange = (params: unknown, result: object) => ChangeDetails | undefined;

interface NamedMethod {
  readonly name: string;
  readonly row: Method;
}

/** Carries a request out: finds its method, checks its parameters, responds. Never rejects. */
export async function dispatch(
  gateway: GatewayContext,
  request: GatewayRequest,
  connection: Connection,
): Promise<GatewayResponse> {
  const { method: name, signal, afterResponse } = request;
  if (!isMethod(name)) return { error: unknownMethod(name) };
  const row: Method = METHODS[name];
  // The table of handlers has the type of the table of methods; the index makes TypeScript forget it.
  const handler = HANDLERS[name] as AnyHandler;
  try {
    await requireAllowed(name, connection);
    const given = givenParams(request.params, row);
    const parsed = row.params.safeParse(given);
    if (!parsed.success) return { error: wrongParams({ name, row }, given, parsed.error) };
    const run = async (): Promise<object> =>
      await handler(parsed.data, { gateway, connection, signal, afterResponse });
    const { session_id: id } = parsed.data;
    const isQueued = row.inOrder === true && typeof id === "string";
    const result = await (isQueued ? gateway.sessionQueue.run(id, run) : run());
    const change = connection.peer && (CHANGES[name] as AnyChange)(parsed.data, result);
    if (change !== undefined) await connection.peer?.note({ method: name, ...change });
    return { result };
  } catch (thrown) {
    const error = signal.aborted
      ? new HostError("interrupted", `${name} was cancelled.`, { cause: thrown })
      : toHostError(thrown);
    if (error.code === "internal") gateway.report(error);
    return { error: failure({ name, row }, error) };
  }
}

/** @throws HostError `not_allowed` for a method that who is at this connection may not use */
async function requireAllowed(method: MethodName, { peer }: Connection): Promise<void> {
  if (peer?.refused.has(method) !== true) return;
  await peer.note({ method, refused: true });
  throw new HostError(
    "not_allowed",
    `${method} is off here: it runs programs of this machine. Use its terminal, or the gateway's own WebSocket.`,
  );
}

/** Characters of a name that an error shows. */
const SHOWN = 80;

function unknownMethod(name: string): JsonRpcError {
  const [family = ""] = name.split(".", 1);
  const absent = Object.hasOwn(ABSENT_FAMILIES, family) ? ABSENT_FAMILIES[family] : undefined;
  const reason = absent === undefined ? "" : ` This host has no ${absent}.`;
  const shown = JSON.stringify(name.slice(0, SHOWN).toWellFormed());
  const message = `There is no method ${shown}.${reason} \`agent rpc --schema\` lists all.`;
  return { code: METHOD_NOT_FOUND, message };
}

/**
 * The parameters that a client gave. Many send `null`, or an empty session id, where they have nothing to say: an
 * optional parameter counts as left out then.
 */
function givenParams(params: Params, { params: { shape } }: Method): Params {
  const isOptional = (name: string): boolean =>
    Object.hasOwn(shape, name) && shape[name]?.safeParse(undefined).success === true;
  const saysNothing = (name: string, value: unknown): boolean =>
    value === null || (name === "session_id" && value === "");
  return Object.fromEntries(
    Object.entries(params).filter(([name, value]) => !saysNothing(name, value) || !isOptional(name)),
  );
}

function wrongParams(
  { name, row }: NamedMethod,
  given: Params,
  { issues: [issue] }: z.ZodError,
): JsonRpcError {
  const path = issue?.path.join(".") ?? "";
  const code = row.wrong?.[String(issue?.path[0] ?? "")] ?? INVALID_PARAMS;
  const what = path === "" ? "the parameters" : path;
  const missing = Object.hasOwn(row.params.shape, path) && given[path] === undefined;
  const fault = missing ? " is missing" : `: ${issue?.message ?? "not valid"}`;
  return { code, message: `${name}: ${what}${fault}.`, data: { code: "invalid_params", path } };
}

/**
 * The error that a caller gets for a failure. Only errors that the host foresaw speak for themselves; of all others the
 * caller learns that they happened, and the log says more.
 */
function failure({ name, row }: NamedMethod, { code, message, details }: HostError): JsonRpcError {
  if (code === "internal" && row.codes?.internal === undefined) {
    return { code: INTERNAL_ERROR, message: `${name} failed inside the host; its log says why.` };
  }
  const { subject, retryAfterMs: retry_after_ms } = details;
  const path = code === "invalid_params" ? wrongPath(row, subject) : undefined;
  const data = defined({ code, path, subject, retry_after_ms });
  return { code: row.codes?.[code] ?? ERROR_CODES[code].rpc, message, data };
}

/** The core names a parameter as it knows it, or none. */
const wrongPath = ({ params: { shape }, about = "" }: Method, subject = about): string =>
  Object.hasOwn(shape, subject) ? subject : about;
