export { LearnedFacts, type RefusalMemory } from "./catalog/learned-facts.ts";
export { contextWarning } from "./catalog/served-context.ts";
export type { ServedContext } from "./stream/model-services.ts";
export type { ModelFacts, TokenPrice } from "./catalog/model-facts.ts";
export type { ListedModel } from "./catalog/model-list.ts";
export { KEY_ENV_ALIASES, SMALLEST_CONTEXT } from "./config/config-schema.ts";
export { usualKeyVariables } from "./config/key-variables.ts";
export { type ModelsConfig, parseModelsConfig, type ProviderConfig } from "./config/models-config.ts";
export {
  configuredModels,
  type ConfiguredModels,
  type ModelAbout,
  type ModelsOptions,
} from "./configured-models.ts";
export { isResponsesOnly } from "./dialects/choose-dialect.ts";
export { demoModel, type DemoOptions } from "./dialects/demo/demo-model.ts";
export type { ProviderKindInfo } from "./dialects/provider-kind.ts";
export {
  API_MODES,
  type ApiMode,
  dialectOf,
  KIND_ALIASES,
  kindNamed,
  KINDS,
  PROVIDER_KINDS,
  type ProviderKind,
} from "./dialects/registry.ts";
export { CLOUD_DOMAINS } from "./endpoint/endpoint.ts";
export { checkIdentity, type IdentityReport } from "./identity/check-identity.ts";
export { DEFAULT_SCOPE, IdentityService } from "./identity/identity-service.ts";
export { type LearnedLimit, type LimitsObserver, RateLimiters } from "./rate-limit/rate-limiters.ts";
export type { RateLimiter, Setback } from "./rate-limit/rate-limiter.ts";
export type { ImageFitter, ImageLimits } from "../../shared/content/image-fitter.ts";
export { completeAddress } from "./setup/complete-address.ts";
export { detectEndpoint, type DetectedEndpoint } from "./setup/detect-endpoint.ts";
export { recommendedFirst } from "./setup/recommended-first.ts";
export { type EndpointAnswer, tryEndpoint } from "./setup/try-endpoint.ts";
export { findLocalServers, LOCAL_SERVER_ADDRESSES, type LocalServer } from "./setup/local-servers.ts";
