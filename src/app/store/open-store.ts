import { hostname } from "node:os";
import { defined } from "../../shared/json/defined.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { type HomeStore, inCallersThread, readIdentity, sqliteStore } from "../../providers/store/index.ts";
import type { AppSettings } from "../config/settings.ts";
import type { Io } from "../process/io.ts";
import { homeParts, type HomeParts, sharedParts } from "./home-parts.ts";

type StoreIo = Pick<Io, "pid" | "worksForOne">;

/** Opens the store that the settings name. @throws HostError `store_*` */
export function openStore({ pid, worksForOne }: StoreIo, { paths, store }: AppSettings): Promise<HomeStore> {
  const { url, listenUrl, allowNetworkFileSystem } = store;
  if (url !== undefined) return openDatabase(pid, { url, ...defined({ listenUrl }) });
  const options = { home: paths.home, identity: readIdentity(pid), clock: systemClock };
  // Between machines a lock alone can take long.
  const openBackend = worksForOne === true && !allowNetworkFileSystem ? inCallersThread : undefined;
  return sqliteStore({ ...options, allowNetworkFileSystem, ...defined({ openBackend }) });
}

/** Opens a PostgreSQL database; nothing of it is loaded by those who have none. */
async function openDatabase(
  pid: number,
  place: { readonly url: string; readonly listenUrl?: string },
): Promise<HomeStore> {
  const { postgresStore } = await import("../../providers/store/postgres/postgres-store.ts");
  const { COPY_MARK, requireWhole } = await import("../../providers/store/copy/copy-mark.ts");
  const applicationName = `agent ${hostname().slice(0, 40)} ${pid}`;
  const store = await postgresStore({ ...place, identity: readIdentity(pid), applicationName });
  try {
    requireWhole((await store.records.get(COPY_MARK.space, COPY_MARK.key))?.value);
    return store;
  } catch (thrown) {
    await store[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** Gives what the host itself writes beside the store: as files of the home, or as records that machines share. */
export function partsOf(settings: AppSettings, { records }: Pick<HomeStore, "records">): Promise<HomeParts> {
  const { paths, store } = settings;
  return store.url === undefined ? Promise.resolve(homeParts(paths.home)) : sharedParts(records, systemClock);
}

/** Gives the same to a command that needs no host: a store is opened only where machines share it. */
export async function withHomeParts<T>(
  io: StoreIo,
  settings: AppSettings,
  use: (parts: HomeParts) => Promise<T>,
): Promise<T> {
  if (settings.store.url === undefined) return await use(homeParts(settings.paths.home));
  await using store = await openStore(io, settings);
  using parts = await sharedParts(store.records, systemClock);
  return await use(parts);
}
