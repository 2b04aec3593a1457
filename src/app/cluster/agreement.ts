import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, isJsonObject } from "../../shared/json/json.ts";
import type { AppSettings } from "../config/settings.ts";
import { timeZone } from "../config/timezone.ts";
import type { ClusterHost } from "./cluster-hosts.ts";

/** A digest of each thing that must be the same on all hosts of a store, by its name for people. */
export type Agreement = Readonly<Record<string, string>>;

/** A thing in which hosts differ, with the hosts that are alike. */
export interface Difference {
  readonly topic: string;
  /** The ids of hosts, the most first. */
  readonly groups: readonly (readonly string[])[];
}

/** Blocks of config.yaml by what they decide; the others may differ. */
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  model: ["model", "compression"],
  approvals: ["approvals", "limits", "delegation", "toolsets", "sandbox", "container", "trust", "sessions"],
  people: ["people", "personas", "personalities"],
  platforms: ["platforms", "webhooks", "web"],
  knowledge: ["memory", "skills"],
};
/** What is each machine's own wherever it stands. */
const OWN = new Set(["host", "port", "workspace", "folders"]);
const VARIABLES = ["API_SERVER_KEY", "WEBHOOK_SECRET", "AGENT_GATEWAY_TOKEN"];
const SECRET = "cluster.secret";
const LENGTH = 12;

type SharedSettings = Pick<AppSettings, "config" | "cluster" | "env" | "paths">;

/** Makes digests of what must agree: of values that nobody can guess from them, for they are keyed by the cluster's secret. */
export function agreementOf(settings: SharedSettings): Agreement {
  const { config, cluster, env, paths } = settings;
  const digest = (value: unknown): string =>
    createHmac("sha256", cluster.secret ?? "agent")
      .update(canonicalJson(value))
      .digest("hex")
      .slice(0, LENGTH);
  const ofBlocks = Object.entries(BLOCKS).map(
    ([topic, names]) => [topic, digest(names.map((name) => shared(config[name]) ?? null))] as const,
  );
  return {
    [SECRET]: digest(SECRET),
    ...Object.fromEntries(ofBlocks),
    // Who names no zone has that of the machine.
    "jobs and time zone": digest([shared(config["jobs"]) ?? null, timeZone(settings)]),
    keys: digest([VARIABLES.map((name) => env[name]?.trim() ?? ""), cluster.secret ?? ""]),
    "SOUL.md": digest(textOf(join(paths.home, "SOUL.md"))),
    "skills/": digest(skillTexts(join(paths.home, "skills"))),
  };
}

/** The things in which living hosts differ, by what they report. */
export const differencesAmong = (hosts: readonly ClusterHost[]): readonly Difference[] =>
  differencesOf(
    hosts.flatMap(({ hostId, alive, report }) =>
      alive && report !== undefined ? [{ hostId, agreement: report.agreement }] : [],
    ),
  );

/** The agreement of a host. */
interface AgreedHost {
  readonly hostId: string;
  readonly agreement: Agreement;
}

/** The things in which hosts differ; those that a host does not tell of, being older, do not count. */
export function differencesOf(hosts: readonly AgreedHost[]): readonly Difference[] {
  const secret = differencesIn([SECRET], hosts);
  // All digests are keyed by the secret: those of hosts with another one tell nothing.
  const others = new Set(secret.flatMap(({ groups }) => groups.slice(1).flat()));
  const comparable = hosts.filter(({ hostId }) => !others.has(hostId));
  const topics = new Set(comparable.flatMap(({ agreement }) => Object.keys(agreement)));
  topics.delete(SECRET);
  return [...secret, ...differencesIn([...topics], comparable)];
}

function differencesIn(topics: readonly string[], hosts: readonly AgreedHost[]): readonly Difference[] {
  return topics.flatMap((topic) => {
    const groups = Map.groupBy(
      hosts.filter(({ agreement }) => agreement[topic] !== undefined),
      ({ agreement }) => agreement[topic],
    );
    if (groups.size < 2) return [];
    const alike = [...groups.values()].map((group) => group.map(({ hostId }) => hostId));
    return [{ topic, groups: alike.toSorted((a, b) => b.length - a.length) }];
  });
}

function shared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shared);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !OWN.has(name))
      .map(([name, below]) => [name, shared(below)]),
  );
}

/** The texts of the skills that people deploy with a home, by their paths. */
function skillTexts(folder: string): readonly (readonly [string, string])[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith("SKILL.md"))
      .toSorted()
      .map((path) => [path, textOf(join(folder, path))] as const);
  } catch {
    // There are none.
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It is not there, or its reader says what is wrong with it.
    return "";
  }
}
