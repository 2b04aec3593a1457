import type { Model } from "../../core/index.ts";
import type { ConfiguredModels } from "../../providers/models/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { nearNames } from "../../shared/text/nearest-name.ts";

type NamedModels = Pick<ConfiguredModels, "resolve" | "parse" | "list">;

/**
 * Finds the model that a person names: `provider:model`, `provider/model` as other agents write it, or a name alone.
 *
 * @throws HostError `model_unknown` for a provider that is not configured, with how to add it
 */
export async function chosenModel(models: NamedModels, choice: string): Promise<Model> {
  const chosen = models.resolve(models.parse(choice));
  const [provider = "", ...rest] = choice.trim().split(":");
  const slashed = providerBeforeSlash(models, choice.trim());
  if (chosen.name !== choice.trim() || (rest.length === 0 && slashed === undefined)) return chosen;
  // What stands before the colon or the slash may be part of a model's name: llama3:8b, openai/gpt-oss.
  const listed = await models.list(new AbortController().signal);
  const isListed = (wanted: { readonly provider: string; readonly model: string }): boolean =>
    listed.some((each) => each.provider === wanted.provider && each.model === wanted.model);
  if (isListed({ provider: chosen.provider, model: chosen.name })) return chosen;
  if (slashed !== undefined && isListed(slashed)) return models.resolve(slashed);
  if (rest.length === 0) return chosen;
  const name = rest.join(":");
  const [near] = nearNames(provider, [...new Set(listed.map((each) => each.provider))]);
  const meant = near === undefined ? "" : ` Did you mean ${near}:${name}?`;
  throw new HostError(
    "model_unknown",
    `There is no provider named ${provider}, and ${chosen.provider} lists no model ${choice.trim()}.${meant} To add a provider, run \`agent setup --base-url URL --model ${name}\`, or add it to model.providers in config.yaml. A model of ${chosen.provider} that is not listed is written ${chosen.provider}:${choice.trim()}.`,
    { details: { subject: provider } },
  );
}

/** A model that is written as `provider/model`, when there is such a provider. */
function providerBeforeSlash(
  models: Pick<NamedModels, "parse">,
  text: string,
): { readonly provider: string; readonly model: string } | undefined {
  const slash = text.indexOf("/");
  if (slash < 1 || slash === text.length - 1) return undefined;
  const { provider, model } = models.parse(text.slice(0, slash));
  return provider === undefined || model !== undefined
    ? undefined
    : { provider, model: text.slice(slash + 1) };
}

/** The settings of the `model` block that hold for all providers. */
const SHARED = new Set(["provider", "default", "providers", "fallback"]);

/**
 * The changes of `config.yaml` that make a model the default. The settings beside `model.provider` belong to the provider
 * that was the default before: they go along with it to its entry in `model.providers`.
 *
 * @param before - the name of that provider
 * @param block - the `model` block as it is
 */
export function defaultChanges(
  chosen: Pick<Model, "provider" | "name">,
  before: string,
  block: unknown,
): readonly (readonly [keys: readonly string[], value: unknown])[] {
  const changes = [
    [["model", "provider"], chosen.provider],
    [["model", "default"], chosen.name],
  ] as const;
  if (chosen.provider === before || !isJsonObject(block)) return changes;
  const own = Object.entries(block).filter(([name, value]) => !SHARED.has(name) && value !== null);
  if (own.length === 0) return changes;
  const { default: model } = block;
  const kept = model === undefined ? own : [...own, ["default", model] as const];
  return [
    ...kept.map(([name, value]) => [["model", "providers", before, name], value] as const),
    ...own.map(([name]) => [["model", name], undefined] as const),
    ...changes,
  ];
}
