import type { ModelRef } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { OR_SETUP } from "./advice.ts";
import { kindNamed } from "../dialects/registry.ts";
import { usualKeyVariables } from "./key-variables.ts";
import { defaultModel, type Provider, type Providers } from "./providers.ts";

/** Reads a model as `/model` takes it: `provider:model`, a provider, or the name of a model. */
export function parseRef(text: string, { byName }: Pick<Providers, "byName">): ModelRef {
  const colon = text.indexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  const kind = kindNamed(name);
  const provider = !byName.has(name) && kind !== undefined && byName.has(kind) ? kind : name;
  // A kind that is not configured is refused later on, with how to add it; any other text is the name of a model.
  const isNamed = byName.has(provider) || (colon >= 0 && kind !== undefined);
  if (!isNamed) return text === "" ? {} : { model: text };
  const model = colon < 0 ? "" : text.slice(colon + 1).trim();
  return model === "" ? { provider } : { provider, model };
}

/** Finds the provider and the name of a model. @throws HostError `model_unknown`, `model_not_configured` */
export function findModel(
  ref: ModelRef,
  { main, byName }: Providers,
): { readonly provider: Provider; readonly name: string } {
  const provider = ref.provider === undefined ? main : providerNamed(ref.provider, byName);
  if (provider === undefined) throw notConfigured(String(ref.provider), ref.model, byName);
  const name = ref.model ?? defaultModel(provider);
  if (name === undefined) {
    const subject = `${provider.path}.default`;
    const message = `${subject} is not set: write the name of a model or deployment there, choose one with /model${OR_SETUP}`;
    throw new HostError("model_not_configured", message, { details: { subject } });
  }
  if (provider.kind === "demo" && name !== "demo")
    throw unknown(
      name,
      `The demo provider has no model named ${name}, only demo. To use ${name}, set model.provider in config.yaml${OR_SETUP}`,
    );
  return { provider, name };
}

const providerNamed = (name: string, byName: Providers["byName"]): Provider | undefined =>
  byName.get(name) ?? byName.get(kindNamed(name) ?? name);

/** The error for a provider that nothing configures, with the way to add it. */
function notConfigured(name: string, model: string | undefined, byName: Providers["byName"]): HostError {
  const kind = kindNamed(name);
  const [variable] = kind === undefined ? [] : usualKeyVariables(kind, undefined);
  const named = `--model ${model ?? "NAME"}`;
  const setup =
    kind === undefined ? `agent setup --base-url URL ${named}` : `agent setup --provider ${name} ${named}`;
  const key = variable === undefined ? "" : `, put its key into ${variable}`;
  return unknown(
    name,
    `There is no provider named ${name}; configured are ${[...byName.keys()].join(", ")}. To add it, run \`${setup}\`${key}, or add it to model.providers in config.yaml.`,
  );
}

const unknown = (subject: string, message: string): HostError =>
  new HostError("model_unknown", message, { details: { subject } });
