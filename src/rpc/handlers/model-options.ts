import type { ModelListing } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { modelOf } from "../encode/session-info.ts";
import type { Params, Result } from "../protocol/methods.ts";
import type { HandlerContext } from "./handler.ts";

type Provider = Result<"model.options">["providers"][number];

/** `model.options`: the models that can be chosen, by provider. */
export async function modelOptions(
  { session_id }: Params<"model.options">,
  { gateway, signal }: HandlerContext,
): Promise<Result<"model.options">> {
  const session = session_id === undefined ? undefined : await gateway.session(session_id);
  const { model } = modelOf(gateway, session?.state ?? { settings: { yolo: false } });
  const models = gateway.host.services.models();
  const byProvider = Map.groupBy(await models.list(signal), ({ provider }) => provider);
  const providers = [...byProvider].map(([slug, listed]) => {
    const problem = problemOf(() => models.resolve({ provider: slug, model: listed[0]?.model ?? "" }));
    return providerRow(slug, listed, { current: slug === model?.provider, problem });
  });
  return { model: model?.name ?? "", provider: model?.provider ?? "", providers };
}

function providerRow(
  slug: string,
  listed: readonly ModelListing[],
  { current, problem }: { readonly current: boolean; readonly problem: string | undefined },
): Provider {
  return {
    slug,
    name: slug,
    is_current: current,
    is_user_defined: slug !== "demo",
    models: listed.map(({ model }) => model),
    total_models: listed.length,
    source: slug === "demo" ? "built-in" : "config",
    authenticated: problem === undefined,
    auth_type: slug === "demo" ? "none" : "api_key",
    key_env: "",
    ...defined({ warning: problem }),
  };
}

function problemOf(use: () => unknown): string | undefined {
  try {
    use();
    return undefined;
  } catch (thrown) {
    return toHostError(thrown).message;
  }
}
