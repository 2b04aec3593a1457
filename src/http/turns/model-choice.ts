import { readMode } from "./session-mode.ts";
import { EFFORTS, type Models, type Settings, type SettingsPatch } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { HttpContext } from "../server/context.ts";
import type { ApiContext } from "./api-context.ts";
import { personaIn, personaOfRequest } from "./persona-choice.ts";
import { badRequest } from "../server/http-error.ts";

/** The model that a request asks for. */
export interface ModelChoice {
  /** Its name in the answer. */
  readonly shown: string;
  /** Set on the session of the turn. */
  readonly settings: SettingsPatch;
  /** The name asks for a turn without tools. */
  readonly tools?: "none";
  readonly warning?: string;
}

/** The fields of a body that choose a model and its options. */
export interface ModelFields {
  readonly model?: string | null | undefined;
  readonly provider?: string | null | undefined;
  readonly model_options?: unknown;
  readonly reasoning_effort?: unknown;
  readonly reasoning?: unknown;
  readonly service_tier?: unknown;
  /** What the session does without asking. */
  readonly mode?: unknown;
  /** The name of the persona that answers. */
  readonly persona?: unknown;
}

/**
 * Chooses the model of a request: the header wins over the body; the advertised name, or none, means the default.
 *
 * @param lenient - a bare name that the default provider does not know is answered by the default model, with a
 * warning: stock clients put all kinds of names there
 * @throws HostError `model_unknown`, `model_not_configured`; HttpError 400, 404 for a persona that is not there
 */
export async function chooseModel(
  c: HttpContext,
  { host, settings }: ApiContext,
  { fields, lenient }: { readonly fields: ModelFields; readonly lenient: boolean },
): Promise<ModelChoice> {
  const models = host.services.models();
  const advertised = settings.modelName;
  const { asked: named, provider, inHeader } = readModel(c, fields);
  const { name, ...tools } = readChatSuffix(named, (whole) => whole === defaultModel(models));
  const persona = await personaOfRequest(c, { name, given: fields.persona }, host);
  // The name of a persona chooses no model.
  const asked = personaIn(name) === undefined ? name : "";
  const style = defined({
    persona,
    reasoning: effortOf(fields),
    fast: wantsFast(fields) ? true : undefined,
    mode: readMode(fields.mode, host),
  });
  const shown = named === "" ? advertised : named;
  if ((asked === "" || asked === advertised) && provider === "") return { shown, settings: style, ...tools };
  const bare = asked === advertised ? "" : asked;
  const ref = provider === "" ? models.parse(bare) : { provider, ...defined({ model: bare || undefined }) };
  try {
    const { name: model, provider: found } = models.resolve(ref);
    return { shown, settings: { provider: found, model, ...style }, ...tools };
  } catch (thrown) {
    const error = toHostError(thrown);
    const mayGuess = lenient && !inHeader && provider === "" && ref.provider === undefined;
    if (error.code !== "model_unknown" || !mayGuess) throw error;
    return {
      shown,
      settings: style,
      ...tools,
      warning: `no model ${JSON.stringify(asked)} here; the default one answered`,
    };
  }
}

/** Gives the name of the model that runs by default; empty when there is none. */
function defaultModel(models: Models): string {
  try {
    return models.resolve({}).name;
  } catch {
    // The turn itself tells that there is no model.
    return "";
  }
}

/** Reads the model from the header, else from the body. The body's provider belongs to the body's model only. */
function readModel(
  c: HttpContext,
  fields: ModelFields,
): { readonly asked: string; readonly provider: string; readonly inHeader: boolean } {
  const header = c.req.header("x-agent-model")?.trim() ?? "";
  if (header !== "") return { asked: header, provider: "", inHeader: true };
  return { asked: fields.model?.trim() ?? "", provider: fields.provider?.trim() ?? "", inHeader: false };
}

function effortOf({
  model_options: options,
  reasoning_effort: direct,
  reasoning,
}: ModelFields): string | undefined {
  const own = isJsonObject(options) ? options : {};
  const nested = [reasoning, own["reasoning"]].flatMap((value) =>
    isJsonObject(value) ? [value["effort"]] : [],
  );
  const wanted = [direct, own["reasoning_effort"], ...nested].find((value) => typeof value === "string");
  return EFFORTS.find((effort) => effort === wanted);
}

/** Whether the faster tier is asked for; a model that has none answers as it always does. */
function wantsFast({ model_options: options, service_tier: tier }: ModelFields): boolean {
  const own = isJsonObject(options) ? options : {};
  return own["fast"] === true || [tier, own["service_tier"]].includes("priority");
}

/** Gives the provider and model that a session runs on. */
export function runtimeOf(
  models: Models,
  settings: Settings,
): { readonly provider: string; readonly model: string } {
  try {
    const { provider, name } = models.resolve(settings);
    return { provider, model: name };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    // A model that cannot be used is still named.
    return { provider: settings.provider ?? "", model: settings.model ?? "" };
  }
}

/** The ending of a model's name that asks for a turn without tools. */
const CHAT = ":chat";

/** Reads the ending `:chat` of a model's name. @param isModel - whether a model has the whole name */
export function readChatSuffix(
  name: string,
  isModel: (name: string) => boolean,
): { readonly name: string; readonly tools?: "none" } {
  if (!name.endsWith(CHAT) || isModel(name)) return { name };
  return { name: name.slice(0, -CHAT.length), tools: "none" };
}

/** Reads the header `X-Agent-Tools`. @throws HttpError 400 */
export function readToolsHeader(c: HttpContext): { readonly tools?: "none" } {
  const given = c.req.header("x-agent-tools")?.trim().toLowerCase() ?? "";
  if (given !== "" && given !== "none" && given !== "auto")
    throw badRequest("X-Agent-Tools must be none or auto.", "X-Agent-Tools");
  return defined({ tools: given === "none" ? given : undefined });
}
