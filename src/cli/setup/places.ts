import {
  API_MODES,
  dialectOf,
  KINDS,
  type LocalServer,
  PROVIDER_KINDS,
  type ProviderKind,
} from "../../providers/models/index.ts";
import type { AppSettings } from "../../app/config/settings.ts";
import type { Option } from "./questions.ts";

/** A place where a model is: a kind of provider, an address, or both. An empty one is asked for. */
export interface SetupPlace {
  readonly provider?: ProviderKind;
  readonly baseUrl?: string;
}

/** The place of "another address" in the menu. */
const OTHER_PLACE = 14;
/** Models of a server that its line names. */
const NAMED_MODELS = 3;

/**
 * The places that setup offers. What runs on this machine or has its key in the environment is on top, and says so; then
 * all others in their order.
 */
export function places(
  servers: readonly LocalServer[],
  env: AppSettings["env"],
): readonly Option<SetupPlace>[] {
  const running = servers.map((server) => ({ label: runningLabel(server), value: placeOf(server) }));
  const ran = new Set(servers.map(({ kind }) => kind));
  const rest = KINDS.flatMap((provider) => {
    const { menu, selfHosted, baseUrl = "" } = PROVIDER_KINDS[provider];
    if (menu === undefined || ran.has(provider)) return [];
    const variable = keyInEnvironment(provider, env);
    const found = variable === undefined ? "" : `: its key is in ${variable}`;
    const absent = selfHosted === true ? `: nothing answers at ${baseUrl.replace(/\/v1$/, "")}` : "";
    return [
      {
        place: variable === undefined ? menu.place : menu.place - KINDS.length,
        label: `${menu.label}${found}${absent}`,
        value: { provider },
      },
    ];
  });
  const spoken = API_MODES.map((mode) => dialectOf(mode).label.toLowerCase());
  const label = `Another address: any server that speaks ${spoken.slice(0, -1).join(", ")} or ${spoken.at(-1)}`;
  const other = { place: OTHER_PLACE, label, value: {} };
  return [...running, ...[...rest, other].toSorted((a, b) => a.place - b.place)];
}

const placeOf = ({ kind, baseUrl }: LocalServer): SetupPlace => ({ provider: kind ?? "local", baseUrl });

function runningLabel({ kind, baseUrl, models }: LocalServer): string {
  const name = kind === undefined ? "A model server" : (PROVIDER_KINDS[kind].menu?.label ?? kind);
  const names = models.slice(0, NAMED_MODELS).map(({ id }) => id);
  const more = models.length > NAMED_MODELS ? ", …" : "";
  const served = names.length === 0 ? "no model yet" : `${names.join(", ")}${more}`;
  return `${name}: runs here at ${baseUrl.replace(/\/v1$/, "")} (${served})`;
}

/** The variable of the environment, or of `.env`, that holds the key of a kind. */
export function keyInEnvironment(kind: ProviderKind, env: AppSettings["env"]): string | undefined {
  const { keyVariables = [] } = PROVIDER_KINDS[kind];
  return keyVariables.findLast(({ name }) => (env[name] ?? "").trim() !== "")?.name;
}
