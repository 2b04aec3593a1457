import { networkInterfaces } from "node:os";
import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import { defined } from "../../shared/json/defined.ts";
import { type ConfigSource, invalidSetting, key } from "./block.ts";
import { readBlock } from "./read-block.ts";
import type { StoreSettings } from "./store.ts";
import { notSet, withVariables } from "./variables.ts";

/** The block `cluster` of config.yaml. */
export const clusterBlock = later(() =>
  z.looseObject({
    advertise: key(
      z.url({ protocol: /^https?$/, error: "It is no http or https address" }),
      "Address where other machines reach this one, else they meet in the database alone; `AGENT_CLUSTER_ADVERTISE` wins.",
    ),
    listen: key(
      z.string(),
      "Address and port at which calls of other machines are taken, where they are not those of `cluster.advertise`: behind a proxy or another port.",
    ),
    secret: key(
      z.string(),
      "What machines sign that they tell each other, 32 characters or more; `AGENT_CLUSTER_SECRET` wins.",
    ),
    adopt_workspaces: key(
      z.boolean(),
      "When the machine of a session's workspace is gone, go on without its files; else the session says so and waits.",
      false,
    ),
  }),
);

/** An address of this machine at which calls are taken. */
export interface LinkAddress {
  /** All addresses without one. */
  readonly host?: string;
  readonly port: number;
}

/** The settings of a machine that works together with others. */
export interface ClusterSettings {
  /** Without a slash at its end. */
  readonly advertise?: string;
  /** Where calls to that address arrive. */
  readonly listen?: LinkAddress;
  readonly secret?: string;
  readonly adoptWorkspaces: boolean;
}

const VARIABLE = "AGENT_CLUSTER_SECRET";
const ADVERTISE = "AGENT_CLUSTER_ADVERTISE";
const SHORTEST_SECRET = 32;

/** Reads how this machine works together with others. @throws HostError `config_invalid`, without the secret */
export function clusterSettings(source: ConfigSource, store: StoreSettings): ClusterSettings {
  const { env, paths } = source;
  if (source.config["cluster"] === undefined && !env[VARIABLE] && !env[ADVERTISE])
    return { adoptWorkspaces: false };
  const block = readBlock(source, "cluster", clusterBlock());
  const { adopt_workspaces: adoptWorkspaces = false } = block;
  const advertise = advertisedBy(env) ?? block.advertise;
  const [first] = Object.keys(block);
  if (store.url === undefined && first !== undefined)
    throw invalidSetting(
      `cluster.${first}`,
      `in ${paths.config} has no effect without store.url: machines meet in a PostgreSQL database. Name it there, or remove the block cluster`,
    );
  const secret = secretOf(block.secret, source);
  if (advertise !== undefined && secret === undefined)
    throw invalidSetting(
      "cluster.advertise",
      `needs ${VARIABLE}: machines sign with it what they tell each other. Make one with \`openssl rand -hex 32\`, the same on each machine`,
    );
  const listen = advertise === undefined ? undefined : listenAddress(advertise, block.listen);
  return { ...defined({ advertise: advertise?.replace(/\/+$/, ""), listen, secret }), adoptWorkspaces };
}

/** Calls arrive at the address that others are told, if this machine has it, and else at all of its addresses. */
function listenAddress(advertise: string, written: string | undefined): LinkAddress {
  if (written !== undefined) {
    const { hostname = "", port = "" } = URL.parse(`tcp://${written}`) ?? {};
    if (hostname === "" || port === "")
      throw invalidSetting("cluster.listen", "is no address with a port: write it as in 0.0.0.0:8646");
    return { host: bare(hostname), port: Number(port) };
  }
  const { protocol, hostname, port } = new URL(advertise);
  if (protocol === "https:")
    throw invalidSetting(
      "cluster.advertise",
      "begins with https: something in front of this machine does the TLS. Name in cluster.listen where it passes calls on, as in 127.0.0.1:8646",
    );
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const isOwn = hostname === "localhost" || own.some(({ address }) => address === bare(hostname));
  return { ...(isOwn && { host: bare(hostname) }), port: Number(port) || 80 };
}

/** An address of version 6 without its brackets. */
const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

/** Each machine has its own address, where config.yaml is the same everywhere. */
function advertisedBy(env: ConfigSource["env"]): string | undefined {
  const written = env[ADVERTISE]?.trim() ?? "";
  if (written === "") return undefined;
  if (/^https?:$/.test(URL.parse(written)?.protocol ?? "")) return written;
  throw invalidSetting(ADVERTISE, "is no http or https address: write it as in http://10.0.0.5:8646");
}

function secretOf(written = "", { env, paths }: ConfigSource): string | undefined {
  const fromVariable = env[VARIABLE]?.trim() ?? "";
  const inFile = `cluster.secret in ${paths.config}`;
  const text = fromVariable === "" ? withVariables(written.trim(), env, notSet(inFile)) : fromVariable;
  if (text === "") return undefined;
  if (text.length < SHORTEST_SECRET)
    throw invalidSetting(
      fromVariable === "" ? inFile : VARIABLE,
      `has ${text.length} characters; ${SHORTEST_SECRET} are the fewest. Make one with \`openssl rand -hex 32\``,
    );
  return text;
}
