import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { modelOf } from "../encode/session-info.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { SetupPort, SetupRequest } from "../ports.ts";
import type { Input } from "../protocol/methods.ts";
import type { SETUP_METHODS } from "../protocol/setup.ts";
import type { HandlersOf } from "./handler.ts";

export const SETUP_HANDLERS: HandlersOf<typeof SETUP_METHODS> = {
  "setup.status"(_params, { gateway }) {
    const { model } = modelOf(gateway, { settings: {} });
    return { provider_configured: model !== undefined, demo: model?.provider === "demo" };
  },

  "setup.runtime_check"({ provider }, { gateway }) {
    const wanted = defined({ provider });
    const { model, problem } = modelOf(gateway, { settings: wanted });
    return {
      ok: model !== undefined,
      ...defined({ provider: model?.provider, model: model?.name, error: problem?.message }),
    };
  },

  async "setup.servers"(_params, { gateway, signal }) {
    const servers = await setupOf(gateway).localServers(signal);
    return {
      servers: servers.map(({ kind, baseUrl, models }) => ({
        base_url: baseUrl,
        models: wireModels(models),
        ...defined({ provider: kind }),
      })),
    };
  },

  async "setup.places"(_params, { gateway, signal }) {
    const places = await setupOf(gateway).places(signal);
    return {
      places: places.map(({ label, detail, key, keyless, asksAddress, ...found }) => ({
        label,
        detail,
        key,
        keyless,
        asks_address: asksAddress,
        ...defined({
          provider: found.provider,
          base_url: found.baseUrl,
          usual_address: found.usualAddress,
          key_variable: found.keyVariable,
          key_page: found.page,
        }),
      })),
    };
  },

  async "setup.detect"(params, { gateway }) {
    const found = await setupOf(gateway).detect(wishOf(params));
    const { apiMode, baseUrl, models } = found;
    return {
      detected: apiMode !== undefined,
      ...defined({ api_mode: apiMode, base_url: baseUrl }),
      models: wireModels(models),
    };
  },

  async "setup.save"({ model, check, save_anyway, ...params }, { gateway }) {
    const wish = { ...wishOf(params), model };
    const { checks, ...outcome } = await setupOf(gateway).save(wish, { check, anyway: save_anyway });
    if (outcome.saved) gateway.showInfo();
    return { ...outcome, checks: [...checks] };
  },
};

function setupOf({ ports }: GatewayContext): SetupPort {
  if (ports.setup !== undefined) return ports.setup;
  throw new HostError("not_found", "The program around this gateway chooses its models itself.");
}

function wishOf(params: Omit<Input<"setup.detect">, "model">): SetupRequest {
  const { provider, scope, keyless = false } = params;
  const { base_url: baseUrl, api_mode: apiMode, api_key: key, key_env: keyEnv } = params;
  const { context_length: contextLength } = params;
  return { keyless, ...defined({ provider, baseUrl, apiMode, key, keyEnv, scope, contextLength }) };
}

const wireModels = (models: Awaited<ReturnType<SetupPort["detect"]>>["models"]) =>
  models.map(({ id, contextLength }) => ({ id, ...defined({ context_length: contextLength }) }));
