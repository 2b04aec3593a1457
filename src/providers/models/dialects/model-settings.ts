import type { ModelFacts } from "../catalog/model-facts.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";

/** The settings of one model of one provider, complete before its first request. */
export interface ModelSettings extends Pick<ModelFacts, "maxOutputTokens" | "reasoning" | "fastTier"> {
  readonly provider: string;
  /** The kind of the provider, as the configuration names it. */
  readonly kind: string;
  readonly name: string;
  /** As its dialect addresses it. */
  readonly endpoint: Endpoint;
  /** The provider or the endpoint's host belongs to the cloud service. */
  readonly cloud: boolean;
  /** The next step when the endpoint refuses the key. */
  readonly keyRemedy: string;
  /** What its owner says, else what is usual. */
  readonly contextLength: number;
  /** Its owner did not say it, and its endpoint may know. */
  readonly asksContext: boolean;
  /** `undefined`: nobody knows; an image is tried. */
  readonly vision: boolean | undefined;
  readonly stream: boolean;
}

/** Names a model as its own opaque items do: another provider's model of the same name cannot read them. */
export const readerOf = ({ provider, name }: Pick<ModelSettings, "provider" | "name">): string =>
  `${provider}:${name}`;
