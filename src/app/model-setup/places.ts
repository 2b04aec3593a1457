import {
  API_MODES,
  dialectOf,
  KINDS,
  type LocalServer,
  PROVIDER_KINDS,
  type ProviderKind,
} from "../../providers/models/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { AppSettings } from "../config/settings.ts";

/** A place where a model is: a kind of provider, an address, or both. An empty one is asked for. */
export interface SetupPlace {
  readonly provider?: ProviderKind;
  readonly baseUrl?: string;
}

/** A place as a menu shows it. */
export interface OfferedPlace {
  readonly label: string;
  /** What is found there; empty for nothing. */
  readonly detail: string;
  readonly value: SetupPlace;
}

/** The place of "another address" in the menu. */
const OTHER_PLACE = 14;
/** Models of a server that its line names. */
const NAMED_MODELS = 3;

/**
 * The places that setup offers. What runs on this machine or has its key in the environment is on top, and says so; then
 * all others in their order.
 */
export function places(servers: readonly LocalServer[], env: AppSettings["env"]): readonly OfferedPlace[] {
  const running = servers.map(runningPlace);
  const ran = new Set(servers.map(({ kind }) => kind));
  const rest = KINDS.flatMap((provider) => {
    const { menu, selfHosted, baseUrl = "" } = PROVIDER_KINDS[provider];
    if (menu === undefined || ran.has(provider)) return [];
    const variable = keyInEnvironment(provider, env);
    const absent = selfHosted === true ? `nothing answers at ${baseUrl.replace(/\/v1$/, "")}` : "";
    return [
      {
        place: variable === undefined ? menu.place : menu.place - KINDS.length,
        label: menu.label,
        detail: variable === undefined ? absent : `its key is in ${variable}`,
        value: { provider },
      },
    ];
  });
  const spoken = API_MODES.map((mode) => dialectOf(mode).label.toLowerCase());
  const detail = `any server that speaks ${spoken.slice(0, -1).join(", ")} or ${spoken.at(-1)}`;
  const other = { place: OTHER_PLACE, label: "Another address", detail, value: {} };
  const others = [...rest, other].toSorted((a, b) => a.place - b.place);
  return [...running, ...others.map(({ place: _place, ...offered }) => offered)];
}

function runningPlace({ kind, baseUrl, models }: LocalServer): OfferedPlace {
  const label = kind === undefined ? "A model server" : (PROVIDER_KINDS[kind].menu?.label ?? kind);
  const names = models.slice(0, NAMED_MODELS).map(({ id }) => id);
  const more = models.length > NAMED_MODELS ? ", …" : "";
  const served = names.length === 0 ? "no model yet" : `${names.join(", ")}${more}`;
  const detail = `runs here at ${baseUrl.replace(/\/v1$/, "")} (${served})`;
  return { label, detail, value: { provider: kind ?? "local", baseUrl } };
}

/** The variable of the environment, or of `.env`, that holds the key of a kind. */
function keyInEnvironment(kind: ProviderKind, env: AppSettings["env"]): string | undefined {
  const { keyVariables = [] } = PROVIDER_KINDS[kind];
  return keyVariables.findLast(({ name }) => (env[name] ?? "").trim() !== "")?.name;
}

/** A place with all that a client of the gateway needs to ask for the rest. */
export function describedPlace({ label, detail, value }: OfferedPlace, env: AppSettings["env"]) {
  const { provider, baseUrl } = value;
  const info = PROVIDER_KINDS[provider ?? "local"];
  const keyVariable = provider === undefined ? undefined : keyInEnvironment(provider, env);
  const asksAddress = baseUrl === undefined && (provider === undefined || info.asksAddress === true);
  const usualAddress = asksAddress && provider !== undefined ? info.baseUrl : undefined;
  const page = info.menu?.page;
  const proof = info.selfHosted === true ? (baseUrl === undefined ? "optional" : "none") : "needed";
  const key = provider === "demo" ? "none" : keyVariable === undefined ? proof : "known";
  const keyless = info.cloud === true;
  return {
    label,
    detail,
    asksAddress,
    key,
    keyless,
    ...defined({ provider, baseUrl, usualAddress, keyVariable, page }),
  } as const;
}
