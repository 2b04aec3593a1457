import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import { defined } from "../../shared/json/defined.ts";
import { type ConfigSource, invalidSetting, key } from "./block.ts";
import { notSet, withVariables } from "./variables.ts";

/** The block `store` of config.yaml. */
export const storeBlock = later(() =>
  z.looseObject({
    url: key(
      z.string(),
      "PostgreSQL database that the machines of a cluster share; by default the home's own SQLite.",
    ),
    listen_url: key(
      z.string(),
      "The same database without the pooler that `store.url` names, to hear other machines; `AGENT_STORE_LISTEN_URL` wins.",
    ),
    allow_network_file_system: key(z.boolean(), "Keep the store on a disk of the network.", false),
  }),
);

/** The place of the store. */
export interface StoreSettings {
  /** Address of a PostgreSQL database; the home's own SQLite without one. It may hold a password. */
  readonly url?: string;
  /** The same without a pooler. */
  readonly listenUrl?: string;
  readonly allowNetworkFileSystem: boolean;
}

/** The variables that win over the keys. */
const VARIABLES = { url: "AGENT_STORE_URL", listen_url: "AGENT_STORE_LISTEN_URL" } as const;
const EXAMPLE = "postgres://agent@db.internal/agent";

type StoreBlock = z.output<ReturnType<typeof storeBlock>>;
type StoreSource = Pick<ConfigSource, "env" | "paths"> & {
  readonly blocks: { readonly store?: StoreBlock | undefined };
};

/** Reads where the store is: variables win over keys. @throws HostError `config_invalid`, without the password */
export function storeSettings(source: StoreSource): StoreSettings {
  const { allow_network_file_system: allowNetworkFileSystem = false } = source.blocks.store ?? {};
  const url = addressOf("url", source);
  const listenUrl = addressOf("listen_url", source);
  return { ...defined({ url, listenUrl: url && listenUrl }), allowNetworkFileSystem };
}

function addressOf(name: keyof typeof VARIABLES, { blocks, env, paths }: StoreSource): string | undefined {
  const written = blocks.store?.[name] ?? "";
  const variable = VARIABLES[name];
  const fromVariable = env[variable]?.trim() ?? "";
  const inFile = `store.${name} in ${paths.config}`;
  const address = fromVariable === "" ? withVariables(written.trim(), env, notSet(inFile)) : fromVariable;
  return address === "" ? undefined : checkedStoreUrl(address, fromVariable === "" ? inFile : variable);
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
