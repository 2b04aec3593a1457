import { messagesDialect } from "./anthropic-messages/dialect.ts";
import { demoProviders } from "./demo/demo-model.ts";
import type { Dialect } from "./dialect.ts";
import { chatDialect } from "./openai-chat/dialect.ts";
import { responsesDialect } from "./openai-responses/dialect.ts";
import type { ProviderKindInfo } from "./provider-kind.ts";

/** All dialects, in the order in which detection asks for them. A further one is its folder and its name here. */
const ALL = [chatDialect, responsesDialect, messagesDialect] as const;

/** The name of a dialect in the configuration (`api_mode`). */
export type ApiMode = (typeof ALL)[number]["id"];

type KindsIn<D> = D extends { readonly providers: infer Kinds } ? keyof Kinds & string : never;

/** The kind of a provider: it says which defaults the provider has, and what is known of its endpoint. */
export type ProviderKind = KindsIn<(typeof ALL)[number]> | keyof typeof demoProviders;

/** All dialects. */
export const DIALECTS: readonly (Dialect & { readonly id: ApiMode })[] = ALL;
/** The names of all dialects. */
export const API_MODES: readonly ApiMode[] = ALL.map(({ id }) => id);

const entries: readonly (readonly [string, ProviderKindInfo])[] = [
  ...DIALECTS.flatMap(({ providers }) => Object.entries(providers)),
  ...Object.entries(demoProviders),
];
/** All kinds of provider. The keys are exactly those that `ProviderKind` is made of. */
export const PROVIDER_KINDS = Object.fromEntries(entries) as Readonly<Record<ProviderKind, ProviderKindInfo>>;
/** The names of all kinds of provider. */
export const KINDS = Object.keys(PROVIDER_KINDS) as readonly ProviderKind[];

/** Names that people use for a kind whose own name is another one. */
export const KIND_ALIASES: Readonly<Record<string, ProviderKind>> = {
  anthropic: "messages",
  azure: "cloud-foundry",
  google: "gemini",
  grok: "xai",
  "lm-studio": "lmstudio",
  "llama.cpp": "llamacpp",
};

/** The kind that a person means by a name; `undefined` when it is none. */
export const kindNamed = (name: string): ProviderKind | undefined =>
  isKind(name) ? name : Object.hasOwn(KIND_ALIASES, name) ? KIND_ALIASES[name] : undefined;

export const isKind = (name: string): name is ProviderKind => Object.hasOwn(PROVIDER_KINDS, name);

const byMode = new Map<ApiMode, Dialect>(DIALECTS.map((dialect) => [dialect.id, dialect]));

/** Gives the dialect of a mode. */
export const dialectOf = (mode: ApiMode): Dialect => byMode.get(mode) ?? chatDialect;

/** Gives the dialect that a kind of provider speaks by default. The demo speaks none; it counts as the first. */
export const defaultDialect = (kind: ProviderKind): Dialect & { readonly id: ApiMode } =>
  DIALECTS.find(({ providers }) => Object.hasOwn(providers, kind)) ?? chatDialect;

/** The ends of addresses that people paste with the path of a request. */
export const REQUEST_PATHS: readonly string[] = DIALECTS.map(({ path }) => path.replace(/^\/v1/, ""));
