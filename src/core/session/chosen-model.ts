import { HostError } from "../../shared/errors/host-error.ts";
import { nearNames } from "../../shared/text/nearest-name.ts";
import type { Model, Models } from "../ports/model.ts";

type NamedModels = Pick<Models, "resolve" | "parse" | "list">;

/**
 * Finds the model that a person names: `provider:model`, `provider/model` as other agents write it, or a name alone.
 *
 * @throws HostError `model_unknown` for a provider that is not configured, with how to add it, and for several lines
 */
export async function chosenModel(models: NamedModels, choice: string): Promise<Model> {
  // A prompt that was written below a command, in one text.
  if (/\p{Cc}/u.test(choice.trim()))
    throw new HostError(
      "model_unknown",
      "The name of a model is one line. Send what stands below it by itself.",
    );
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
