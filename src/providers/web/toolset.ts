import type { Clock } from "../../shared/async/clock.ts";
import type { Toolset } from "../../core/index.ts";
import { PageCache } from "./page-cache.ts";
import type { FetcherFor } from "./ports.ts";
import { PageReader } from "./reader/page-reader.ts";
import type { EngineChoice } from "./search/choose-engine.ts";
import { webReadTool } from "./web-read.ts";
import { webSearchTool } from "./web-search.ts";

/** Options of the web tools. */
export interface WebToolsetOptions {
  readonly clock: Clock;
  /** Where pages come from. */
  readonly fetcherFor: FetcherFor;
  readonly search: EngineChoice;
  /** Characters of one result; 29,000 by default, which stays below the core's own limit. */
  readonly outputLimit?: number;
}

const OUTPUT_LIMIT = 29_000;

/** `web`: searching, when an engine is configured, and reading pages, which needs nothing. */
export function webToolset({
  clock,
  fetcherFor,
  search,
  outputLimit = OUTPUT_LIMIT,
}: WebToolsetOptions): Toolset {
  const reading = {
    fetcherFor,
    reader: new PageReader({ clock }),
    pages: new PageCache(clock),
    limit: outputLimit,
  };
  const tools = [webSearchTool(search), webReadTool(reading)];
  const about = { name: "web", label: "Web", description: "Search the web and read its pages", tools };
  if (search.engine !== undefined) return { ...about, configured: true };
  return { ...about, configured: false, remedy: search.remedy, usable: ["web_read"] };
}
