import { EFFORTS, type Models, type Settings, type SettingsPatch } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { HttpContext } from "../server/context.ts";

/** Which model a request asks for. */
export interface ModelChoice {
  /** As the answer names it. */
  readonly shown: string;
  /** What is to be set on its session. */
  readonly settings: SettingsPatch;
  readonly warning?: string;
}

export interface ModelFields {
  readonly model?: string | null | undefined;
  readonly provider?: string | null | undefined;
  readonly model_options?: unknown;
  readonly reasoning_effort?: unknown;
  readonly reasoning?: unknown;
  readonly service_tier?: unknown;
}

/**
 * The model of a request: the header before the body, the advertised name and nothing for the default.
 *
 * @param lenient - a bare name that the default provider does not know is answered by the default model, with a
 * warning: stock clients put all kinds of names there
 * @throws HostError `model_unknown`, `model_not_configured`
 */
export function chooseModel(
  c: HttpContext,
  wish: ModelFields,
  options: { readonly models: Models; readonly advertised: string; readonly lenient: boolean },
): ModelChoice {
  const { models, advertised, lenient } = options;
  const { asked, provider, inHeader } = askedOf(c, wish);
  const manner = defined({ reasoning: effortOf(wish), fast: wantsFast(wish) ? true : undefined });
  const shown = asked === "" ? advertised : asked;
  if ((asked === "" || asked === advertised) && provider === "") return { shown, settings: manner };
  const bare = asked === advertised ? "" : asked;
  const ref = provider === "" ? models.parse(bare) : { provider, ...(bare === "" ? {} : { model: bare }) };
  try {
    const { name, provider: found } = models.resolve(ref);
    return { shown, settings: { provider: found, model: name, ...manner } };
  } catch (thrown) {
    const error = toHostError(thrown);
    const mayGuess = lenient && !inHeader && provider === "" && ref.provider === undefined;
    if (error.code !== "model_unknown" || !mayGuess) throw error;
    return {
      shown,
      settings: manner,
      warning: `no model ${JSON.stringify(asked)} here; the default one answered`,
    };
  }
}

/** A header says it all: the body's provider belongs to the body's model. */
function askedOf(
  c: HttpContext,
  wish: ModelFields,
): { readonly asked: string; readonly provider: string; readonly inHeader: boolean } {
  const header = c.req.header("x-agent-model")?.trim() ?? "";
  if (header !== "") return { asked: header, provider: "", inHeader: true };
  return { asked: wish.model?.trim() ?? "", provider: wish.provider?.trim() ?? "", inHeader: false };
}

/** What of a patch would change the session. */
export function changedSettings(patch: SettingsPatch, now: Settings): SettingsPatch | undefined {
  const differs =
    (patch.model !== undefined && patch.model !== now.model) ||
    (patch.provider !== undefined && patch.provider !== now.provider) ||
    (patch.reasoning !== undefined && patch.reasoning !== now.reasoning) ||
    (patch.fast !== undefined && patch.fast !== now.fast);
  return differs ? patch : undefined;
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

/** A wish and no more: a model without a faster tier answers as it always does. */
function wantsFast({ model_options: options, service_tier: tier }: ModelFields): boolean {
  const own = isJsonObject(options) ? options : {};
  return own["fast"] === true || [tier, own["service_tier"]].includes("priority");
}

/** The model that a session runs on, for those who ask. */
export function runtimeOf(
  models: Models,
  settings: Settings,
): { readonly provider: string; readonly model: string } {
  try {
    const { provider, name } = models.resolve(settings);
    return { provider, model: name };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    // What cannot be used is still named.
    return { provider: settings.provider ?? "", model: settings.model ?? "" };
  }
}
