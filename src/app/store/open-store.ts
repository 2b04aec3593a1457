import { defined } from "../../shared/json/defined.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { type HomeStore, readIdentity, sqliteStore } from "../../providers/store/index.ts";
import type { AppSettings } from "../config/settings.ts";
import type { Io } from "../process/io.ts";
import { homeParts, type HomeParts, sharedParts } from "./home-parts.ts";

type StoreIo = Pick<Io, "pid" | "startThread">;

/** Opens the store that the settings name. @throws HostError `store_*` */
export function openStore({ pid, startThread }: StoreIo, settings: AppSettings): Promise<HomeStore> {
  const { paths, store } = settings;
  const { allowNetworkFileSystem } = store;
  const options = { home: paths.home, identity: readIdentity(pid), clock: systemClock };
  return sqliteStore({ ...options, allowNetworkFileSystem, ...defined({ startThread }) });
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
