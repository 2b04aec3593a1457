export {
  type ApiMode,
  type ModelFacts,
  type ModelsConfig,
  parseModelsConfig,
  type ProviderConfig,
  type ProviderKind,
  type TokenPrice,
} from "./config.ts";
export { configuredModels, type ConfiguredModels, type ModelsOptions } from "./configured.ts";
export { demoModel, type DemoOptions } from "./demo/demo-model.ts";
export { findLocalServers, LOCAL_SERVER_ADDRESSES, type LocalServer } from "./local-servers.ts";
export type { ListedModel } from "./model-list.ts";
