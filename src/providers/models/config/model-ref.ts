import type { ModelRef } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { defaultModel, type Provider, type Providers } from "./providers.ts";

/** Reads a model as `/model` takes it: `provider:model`, a provider, or the name of a model. */
export function parseRef(text: string, { byName }: Pick<Providers, "byName">): ModelRef {
  const colon = text.indexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  const provider = !byName.has(name) && name === "anthropic" ? "messages" : name;
  if (!byName.has(provider)) return text === "" ? {} : { model: text };
  const model = colon < 0 ? "" : text.slice(colon + 1).trim();
  return model === "" ? { provider } : { provider, model };
}

/** Finds the provider and the name of a model. @throws HostError `model_unknown`, `model_not_configured` */
export function findModel(
  ref: ModelRef,
  { main, byName }: Providers,
): { readonly provider: Provider; readonly name: string } {
  const provider = ref.provider === undefined ? main : byName.get(ref.provider);
  if (provider === undefined)
    throw unknown(
      String(ref.provider),
      `There is no provider named ${ref.provider}; configured are ${[...byName.keys()].join(", ")}. Add it to model.providers in config.yaml, or choose another with /model.`,
    );
  const name = ref.model ?? defaultModel(provider);
  if (name === undefined) {
    const subject = `${provider.path}.default`;
    const message = `${subject} is not set: write the name of a model or deployment there, or choose one with /model.`;
    throw new HostError("model_not_configured", message, { details: { subject } });
  }
  if (provider.kind === "demo" && name !== "demo")
    throw unknown(
      name,
      `The demo provider has no model named ${name}, only demo. To use ${name}, configure its provider: \`agent setup\`, or model.provider in config.yaml.`,
    );
  return { provider, name };
}

const unknown = (subject: string, message: string): HostError =>
  new HostError("model_unknown", message, { details: { subject } });
