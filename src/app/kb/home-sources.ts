import { hostname } from "node:os";
import {
  SourceDocuments,
  SourceReader,
  type SourceReaderParts,
  SourceRecords,
  Sources,
} from "../../automation/sources/index.ts";
import type { Agent } from "../compose.ts";
import { timeZone } from "../config/timezone.ts";
import { ownerFetcher } from "../web/fetchers.ts";

/** The folders and addresses that documents of a home come from, and who reads them. */
export interface HomeSources {
  readonly sources: Sources;
  readonly documents: SourceDocuments;
  /** Makes a reader for this process. @param heard - told of each document that it has looked at */
  reader(heard?: SourceReaderParts["heard"]): SourceReader;
}

/** Opens the sources of a home; nothing is read before a reader starts. */
export function homeSources({
  store,
  host,
  kb,
  live,
  settings,
}: Pick<Agent, "store" | "host" | "kb" | "live" | "settings">): HomeSources {
  const { clock, hex, report } = host.services;
  const records = new SourceRecords(store.records, settings.store.url === undefined ? undefined : hostname());
  const parts = { records, clock, zone: timeZone(settings), library: () => kb.open() };
  // An address is read for the owner: what they allow is reached, and nothing else inside.
  const fetcher = ownerFetcher(live, clock, "refused");
  const sources = new Sources({ ...parts, hex });
  return {
    sources,
    documents: new SourceDocuments({ ...parts, sources }),
    reader: (heard) => new SourceReader({ ...parts, fetcher, report, ...(heard && { heard }) }),
  };
}
