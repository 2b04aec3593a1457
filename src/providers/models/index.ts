export {
  type ApiMode,
  type ModelFacts,
  type ModelsConfig,
  parseModelsConfig,
  type ProviderConfig,
  type ProviderKind,
  type TokenPrice,
} from "./config.ts";
export {
  configuredModels,
  type ConfiguredModels,
  type ModelAbout,
  type ModelsOptions,
} from "./configured.ts";
export { demoModel, type DemoOptions } from "./demo/demo-model.ts";
export { checkIdentity, type IdentityReport } from "./identity/check-identity.ts";
export type { ImageFitter, ImageLimits } from "./image-fitter.ts";
export { Governor } from "./governor/governor.ts";
export { IdentityService } from "./identity/identity-service.ts";
export { detectEndpoint, type DetectedEndpoint } from "./setup/detect-endpoint.ts";
export { isResponsesOnly } from "./dialect-of.ts";
export { DEFAULT_SCOPE } from "./identity/identity-service.ts";
export { findLocalServers, LOCAL_SERVER_ADDRESSES, type LocalServer } from "./local-servers.ts";
export type { ListedModel } from "./model-list.ts";
