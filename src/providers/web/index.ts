export type { FetcherFor, WebAnswer, WebFetcher, WebRequest } from "./ports.ts";
export {
  chooseEngine,
  type EngineChoice,
  SEARCH_PROVIDERS,
  type SearchConfig,
  searchKeyVariable,
  type SearchProvider,
} from "./search/choose-engine.ts";
export type { SearchEngine, SearchHit, SearchQuery } from "./search/search-engine.ts";
export { webToolset, type WebToolsetOptions } from "./toolset.ts";
