import { z } from "zod";
import { defined } from "../../shared/json/defined.ts";
import { type ConfigSource, invalidSetting, key } from "./block.ts";
import { notSet, withVariables } from "./variables.ts";

/** The block `store` of config.yaml. */
export const STORE_BLOCK = z.looseObject({
  url: key(
    z.string(),
    "PostgreSQL database that the machines of a cluster share; by default the home's own SQLite.",
  ),
  allow_network_file_system: key(z.boolean(), "Keep the store on a disk of the network.", false),
});

/** The place of the store. */
export interface StoreSettings {
  /** Address of a PostgreSQL database; the home's own SQLite without one. It may hold a password. */
  readonly url?: string;
  readonly allowNetworkFileSystem: boolean;
}

/** The variable that wins over `store.url`. */
const VARIABLE = "AGENT_STORE_URL";
const EXAMPLE = "postgres://agent@db.internal/agent";

/** Reads where the store is: `AGENT_STORE_URL` wins over `store.url`. @throws HostError `config_invalid`, without the password */
export function storeSettings({
  blocks,
  env,
  paths,
}: Pick<ConfigSource, "env" | "paths"> & {
  readonly blocks: { readonly store?: z.output<typeof STORE_BLOCK> | undefined };
}): StoreSettings {
  const { url: written = "", allow_network_file_system: allowNetworkFileSystem = false } = blocks.store ?? {};
  const fromVariable = env[VARIABLE]?.trim() ?? "";
  const inFile = `store.url in ${paths.config}`;
  const place = fromVariable === "" ? inFile : VARIABLE;
  const url = fromVariable === "" ? withVariables(written.trim(), env, notSet(inFile)) : fromVariable;
  return {
    ...defined({ url: url === "" ? undefined : checkedStoreUrl(url, place) }),
    allowNetworkFileSystem,
  };
}

/** Checks the address of a database; `place` names it in messages. @throws HostError `config_invalid`, without the password */
export function checkedStoreUrl(address: string, place: string): string {
  const url = URL.parse(address);
  if (url === null)
    throw invalidSetting(
      place,
      `is no address such as ${EXAMPLE}. In a password, write characters other than letters and digits as %XX`,
    );
  if (!/^postgres(ql)?:$/.test(url.protocol))
    throw invalidSetting(
      place,
      `begins with ${url.protocol} where postgres: is expected: a store is a PostgreSQL database, as ${EXAMPLE}, or without this setting the home's own SQLite`,
    );
  if (url.pathname.length < 2)
    throw invalidSetting(place, `(${shownStoreUrl(address)}) names no database: write it as in ${EXAMPLE}`);
  return address;
}

/** The address of a store as people see it: whose, where and which database, without what may be a secret. */
export function shownStoreUrl(address: string): string {
  const { protocol, username, host, pathname } = new URL(address);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}
