import type { QuestionPolicy } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { HttpContext } from "../server/context.ts";
import { type JsonBody, readJsonObject } from "../server/json-body.ts";
import type { ApiContext } from "./api-context.ts";
import type { Receipt } from "./idempotency.ts";
import { storeImages } from "./images.ts";
import { chooseModel, type ModelChoice, type ModelFields, readToolsHeader } from "./model-choice.ts";
import type { RequestInput } from "./request-input.ts";
import { storeHistory } from "./request-message.ts";
import { personOfKey, readSessionKey, type SessionKey } from "./session-key.ts";
import { STATELESS_SOURCE } from "./stateless-sweeper.ts";
import type { TurnRef } from "./turn-ref.ts";
import type { TurnPlan } from "./turns.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { badRequest } from "../server/http-error.ts";

/**
 * The way in which a client takes part in a turn: it waits for a `completion` and cannot be asked, or it follows a
 * `run` and may answer approvals.
 */
export type TurnMode = "completion" | "run";

const CANNOT = "the client of this API can answer approvals only; go on without, and say what you would need";

interface ModeRules {
  readonly questions: QuestionPolicy;
  /** A model that is not known here is answered by the default one, with a warning. */
  readonly lenientModel: boolean;
  /** A turn that was stopped begins anew when its request comes again. */
  readonly retryStopped: boolean;
}

const RULES: Readonly<Record<TurnMode, ModeRules>> = {
  completion: {
    questions: { mode: "refuse", reason: "nobody can answer questions here: this is a single API call" },
    lenientModel: true,
    retryStopped: true,
  },
  run: {
    questions: { mode: "ask", refuse: { clarify: CANNOT, sudo: CANNOT, secret: CANNOT } },
    lenientModel: false,
    retryStopped: false,
  },
};

/** A request that starts a turn, read but not decoded. */
export interface TurnRequest {
  readonly mode: TurnMode;
  readonly body: JsonBody;
  readonly key: SessionKey | undefined;
}

/** Reads a request that starts a turn, if the server takes more work. @throws HttpError 400, 413, 415, 429, 503 */
export async function readTurnRequest(
  c: HttpContext,
  { admission, settings }: ApiContext,
  mode: TurnMode,
): Promise<TurnRequest> {
  if (mode === "completion") admission.check();
  else admission.checkOpen();
  const key = readSessionKey(c, settings.key);
  return { mode, key, body: await readJsonObject(c, settings) };
}

/** A turn as a route describes it. */
interface TurnDraft {
  readonly ref: TurnRef;
  /** The id of the work, which is told as the origin of the prompt. */
  readonly client: string;
  /** Make the session, for lists or hidden from them; it exists by default. */
  readonly newSession?: "listed" | "hidden" | undefined;
  readonly prompt: RequestInput["prompt"];
  readonly before?: RequestInput["before"];
  /** Joined; those without text are left out. */
  readonly instructions?: readonly (string | undefined)[];
  /** The turn begins only if this one is the session's newest. */
  readonly onlyAfter?: string | undefined;
  /** Stop the turn some time after its last reader left. */
  readonly needsReader?: boolean;
  readonly counted?: false;
}

/** The description of the turn that a route starts. */
export interface TurnStart<R extends Receipt> {
  /** Keys of different routes are different keys. */
  readonly route: string;
  readonly request: TurnRequest;
  readonly model: ModelFields;
  /** All that makes it this request and no other. */
  readonly fingerprint: readonly unknown[];
  readonly warnings?: readonly string[];
  /** Says where the turn takes place. */
  readonly plan: (choice: ModelChoice) => PlannedTurn<R> | Promise<PlannedTurn<R>>;
}

/** A turn that a route is about to begin. */
export interface PlannedTurn<R extends Receipt> {
  readonly receipt: R;
  /** Begins the turn, after `prepare` made a plan of its draft; it may give another receipt than the planned one. */
  readonly begin: (prepare: Prepare) => Promise<R>;
}

/** A function that makes the plan of a turn: it stores the images, and adds all that does not depend on the route. */
export type Prepare = (draft: TurnDraft) => Promise<TurnPlan>;

/** A turn that was started, by this request or by an earlier one with the same key. */
export interface StartedTurn<R extends Receipt> {
  readonly receipt: R;
  readonly replayed: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers of a request that make it another one, on every route. */
const FORM_HEADERS = ["x-agent-tools", "x-agent-tool-items", "x-agent-persona"];

/**
 * Starts the turn of a request, once for each `Idempotency-Key`. Every route that starts turns does it here: the route
 * decodes the request, says in which session the turn is, and encodes the answer.
 *
 * @throws HttpError 400, 409, 429, 503; HostError `model_unknown`, `model_not_configured`, and as `Turns.begin` does
 */
export async function startTurn<R extends Receipt>(
  c: HttpContext,
  api: ApiContext,
  { route, request, model, fingerprint: given, warnings = [], plan }: TurnStart<R>,
): Promise<StartedTurn<R>> {
  const { mode, body, key } = request;
  const { lenientModel: lenient, retryStopped } = RULES[mode];
  const toolsWarning = mode === "completion" ? clientToolsWarning(body) : undefined;
  const asked = await chooseModel(c, api, { fields: model, lenient });
  const choice = { ...asked, ...readToolsHeader(c) };
  const fingerprint = [...given, ...FORM_HEADERS.flatMap((name) => c.req.header(name) ?? [])];
  const { receipt, begin } = await plan(choice);
  const started = await api.idempotency.once(c, { route, fingerprint, receipt, retryStopped }, () =>
    begin((draft) => prepare(c, api, { draft, request, choice })),
  );
  const ignored = mode === "completion" ? ignoredWarning(body) : undefined;
  const headers = {
    ...defined({
      "x-agent-session-key": key?.raw,
      "idempotency-replayed": started.replayed ? "true" : undefined,
    }),
    ...warningHeader([toolsWarning, ignored, choice.warning, ...warnings]),
  };
  return { ...started, headers };
}

async function prepare(
  c: HttpContext,
  { host, settings, images, admission, userOf }: ApiContext,
  {
    draft,
    request,
    choice,
  }: { readonly draft: TurnDraft; readonly request: TurnRequest; readonly choice: ModelChoice },
): Promise<TurnPlan> {
  const { ref, client, newSession, prompt, before = [], onlyAfter, needsReader, counted } = draft;
  if (counted !== false) admission.check();
  const keyed = await personOfKey(request.key, defined({ userOf }));
  const services = { store: host.services.store, source: images, signal: c.req.raw.signal };
  const instructions = (draft.instructions ?? []).filter((text) => text !== undefined && text !== "");
  const hidden = newSession === "hidden" ? { hidden: true, source: STATELESS_SOURCE } : {};
  // A stateless call may find the session of one that began with the same words, and had a persona.
  const forSession = newSession === "hidden" ? { persona: null, ...choice.settings } : choice.settings;
  const open = {
    platform: "api_server",
    cwd: settings.workspace,
    settings: choice.settings,
    ...hidden,
  } as const;
  return {
    ref,
    settings: forSession,
    ...defined({
      open: newSession && open,
      graceMs: needsReader === true ? settings.disconnectGraceMs : undefined,
      counted,
    }),
    submission: {
      parts: await storeImages(prompt.parts, prompt.param, services),
      before: await storeHistory(before, services),
      from: { surface: "api", client },
      questions: RULES[request.mode].questions,
      ...defined({
        instructions: instructions.length === 0 ? undefined : instructions.join("\n"),
        ...keyed,
        tools: choice.tools,
        onlyAfter,
      }),
    },
  };
}

/**
 * Tools run on this server; those of a client do not. A client that insists is told so, another is warned.
 *
 * @throws HttpError 400 when `tool_choice` forces a call
 */
function clientToolsWarning(body: Readonly<Record<string, unknown>>): string | undefined {
  const tools = body["tools"] ?? body["functions"];
  const choice = body["tool_choice"] ?? body["function_call"];
  const forced = choice === "required" || choice === "any" || isJsonObject(choice);
  const some = Array.isArray(tools) && tools.length > 0;
  if (forced && some)
    throw badRequest(
      "Tools of a client cannot be called here: the agent runs its own tools on the server. Leave tool_choice out, or put it to auto.",
      body["tool_choice"] === undefined ? "function_call" : "tool_choice",
      "unsupported_parameter",
    );
  return some ? "the tools of the request were not given to the model; the agent runs its own" : undefined;
}

/** Options that end an answer early; the agent's answers end when it is done. */
const LIMITS = ["stop", "max_tokens", "max_completion_tokens", "max_output_tokens"];

/** Names the options of a request that are not honoured here, though they would change the answer. */
function ignoredWarning(body: Readonly<Record<string, unknown>>): string | undefined {
  const { n, response_format: chatFormat, text, logprobs } = body;
  const textFormat = isJsonObject(text) ? text["format"] : undefined;
  const isOther = (format: unknown): boolean => isJsonObject(format) && format["type"] !== "text";
  const ignored = [
    ...(typeof n === "number" && n > 1 ? ["n"] : []),
    ...(isOther(chatFormat) ? ["response_format"] : []),
    ...(isOther(textFormat) ? ["text.format"] : []),
    ...(logprobs === true ? ["logprobs"] : []),
    ...LIMITS.filter((name) => body[name] !== undefined && body[name] !== null),
  ];
  return ignored.length === 0 ? undefined : `not honoured: ${ignored.join(", ")}`;
}

/** Warnings as a header; empty when there are none. */
function warningHeader(warnings: readonly (string | undefined)[]): Readonly<Record<string, string>> {
  const given = warnings.filter((warning) => warning !== undefined);
  // Text of the client must not end the header.
  return given.length === 0 ? {} : { "x-agent-warning": given.join("; ").replaceAll(/[^\x20-\x7e]/g, "?") };
}
