export {
  type ApiMode,
  type ModelFacts,
  type ModelsConfig,
  parseModelsConfig,
  type ProviderConfig,
  type ProviderKind,
  type TokenPrice,
} from "./config/models-config.ts";
export {
  configuredModels,
  type ConfiguredModels,
  type ModelAbout,
  type ModelsOptions,
} from "./configured-models.ts";
export { demoModel, type DemoOptions } from "./dialects/demo/demo-model.ts";
export { checkIdentity, type IdentityReport } from "./identity/check-identity.ts";
export type { ImageFitter, ImageLimits } from "./request/image-fitter.ts";
export { RateLimiters } from "./rate-limit/rate-limiters.ts";
export { IdentityService } from "./identity/identity-service.ts";
export { detectEndpoint, type DetectedEndpoint } from "./setup/detect-endpoint.ts";
export { isResponsesOnly } from "./dialects/choose-dialect.ts";
export { DEFAULT_SCOPE } from "./identity/identity-service.ts";
export { findLocalServers, LOCAL_SERVER_ADDRESSES, type LocalServer } from "./setup/local-servers.ts";
export type { ListedModel } from "./catalog/model-list.ts";
