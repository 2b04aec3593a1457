import type { ProviderKindInfo } from "../provider-kind.ts";

/** The provider of the demo model. It has no endpoint, so it is a kind of provider without a dialect. */
export const demoProviders = {
  demo: { menu: { place: 5, label: "Nowhere yet: the built-in demo model" } },
} as const satisfies Record<string, ProviderKindInfo>;
