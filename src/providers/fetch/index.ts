export { isPublicAddress } from "../../shared/net/public-address.ts";
export { type DestinationRules, destinations, type Resolve, type UnresolvedNames } from "./destination.ts";
export {
  type Fetched,
  type Fetcher,
  type FetcherOptions,
  type FetchRequest,
  guardedFetcher,
} from "./guarded-fetcher.ts";
export { type GuardedWeb, guardedWeb } from "./guarded-web.ts";
