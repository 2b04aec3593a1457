import { defined } from "../../shared/json/defined.ts";
import { systemClock } from "../../shared/async/clock.ts";
import type { Records } from "../../core/index.ts";
import { type HomeStore, readIdentity, sqliteStore } from "../../providers/store/index.ts";
import type { AppSettings } from "../config/settings.ts";
import type { Io } from "../process/io.ts";

type StoreIo = Pick<Io, "pid" | "startThread">;

/** Opens the store that the settings name. @throws HostError `store_*` */
export function openStore({ pid, startThread }: StoreIo, settings: AppSettings): Promise<HomeStore> {
  const { paths, store } = settings;
  const { allowNetworkFileSystem } = store;
  const options = { home: paths.home, identity: readIdentity(pid), clock: systemClock };
  return sqliteStore({ ...options, allowNetworkFileSystem, ...defined({ startThread }) });
}

/** The records in which what machines share is kept; `undefined` where it is kept in files of the home. */
export const sharedRecords = (
  { store }: Pick<AppSettings, "store">,
  { records }: Pick<HomeStore, "records">,
): Records | undefined => (store.url === undefined ? undefined : records);

/** Gives a command that needs no host the records that machines share; it opens no store where there are none. */
export async function withSharedRecords<T>(
  io: StoreIo,
  settings: AppSettings,
  use: (records: Records | undefined) => Promise<T>,
): Promise<T> {
  if (settings.store.url === undefined) return await use(undefined);
  await using store = await openStore(io, settings);
  return await use(store.records);
}
