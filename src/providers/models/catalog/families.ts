/** The facts about a family of models; its owner's configuration goes before them. */
interface Family {
  readonly name: RegExp;
  /** Tokens. */
  readonly context: number;
  readonly vision?: true;
  /** Reasoning efforts that it takes, from least to most. */
  readonly efforts?: readonly string[];
  /** Tokens of one reply, for endpoints that must be told a limit. */
  readonly output?: number;
  /** The way to ask it to think, where that is not an effort: a budget of tokens, or as much as it sees fit. */
  readonly thinking?: "budget" | "adaptive";
}

const GRADES = ["low", "medium", "high"];

const CLAUDE = { context: 200_000, vision: true, output: 64_000 } as const;

/** The first match counts. Names are lower case, without what stands before their last slash. */
const FAMILIES: readonly Family[] = [
  { name: /^gpt-5\.[2-9]/, context: 400_000, vision: true, efforts: ["none", ...GRADES, "xhigh"] },
  { name: /^gpt-5\.1/, context: 400_000, vision: true, efforts: ["none", ...GRADES] },
  { name: /^gpt-5-chat/, context: 128_000, vision: true },
  { name: /^gpt-5/, context: 400_000, vision: true, efforts: ["minimal", ...GRADES] },
  { name: /^codex/, context: 200_000, vision: true, efforts: GRADES },
  { name: /^o1-(mini|preview)/, context: 128_000 },
  { name: /^o3-mini/, context: 200_000, efforts: GRADES },
  { name: /^o[134](-|$)/, context: 200_000, vision: true, efforts: GRADES },
  { name: /^gpt-4\.1/, context: 1_047_576, vision: true },
  { name: /^((chatgpt-)?gpt-4o|gpt-4-(turbo|vision|1106|0125))/, context: 128_000, vision: true },
  { name: /^gpt-4-32k/, context: 32_768 },
  { name: /^gpt-4/, context: 8192 },
  { name: /^gpt-3\.5/, context: 16_385 },
  { name: /^gpt-oss/, context: 131_072, efforts: GRADES },
  { name: /^claude-(instant|2)/, context: 100_000, output: 4096 },
  { name: /^claude-3-(opus|sonnet|haiku)/, ...CLAUDE, output: 4096 },
  { name: /^claude-3[.-]5/, ...CLAUDE, output: 8192 },
  { name: /^claude-3[.-]7/, ...CLAUDE, thinking: "budget" },
  { name: /^claude-opus-4([.-]1)?(-\d{8}|$)/, ...CLAUDE, output: 32_000, thinking: "budget" },
  { name: /^claude-(sonnet|haiku)-4([.-]5)?(-\d{8}|$)/, ...CLAUDE, thinking: "budget" },
  { name: /^claude-opus-4[.-]5/, ...CLAUDE, thinking: "budget" },
  { name: /^claude-(opus|sonnet|haiku)-(4[.-][6-9]|[5-9])/, ...CLAUDE, thinking: "adaptive" },
  { name: /^claude/, context: 200_000, vision: true },
  { name: /^gemini/, context: 1_048_576, vision: true },
  { name: /^gemma-?3/, context: 131_072, vision: true },
  { name: /^grok-[4-9]/, context: 256_000, vision: true },
  { name: /^grok-3-mini/, context: 131_072, efforts: ["low", "high"] },
  { name: /^(meta-)?llama-?4/, context: 1_000_000, vision: true },
  { name: /^(meta-)?llama-?3\.2.*vision/, context: 131_072, vision: true },
  { name: /^(meta-)?llama-?3\.[1-9]/, context: 131_072 },
  { name: /^(meta-)?llama-?3/, context: 8192 },
  { name: /^qwen.*vl/, context: 131_072, vision: true },
  { name: /^qwen-?3/, context: 131_072 },
  { name: /^qwen/, context: 32_768 },
  { name: /^pixtral|^mistral-(medium|small)-?3/, context: 131_072, vision: true },
  { name: /^mixtral|^mistral-7b|^open-mi/, context: 32_768 },
  { name: /^(mistral|ministral|codestral|devstral|magistral)/, context: 131_072 },
  { name: /^deepseek/, context: 128_000 },
  { name: /^kimi/, context: 256_000 },
  { name: /^glm-4\.6/, context: 200_000 },
  { name: /^(glm|command-r|command-a|phi-4|phi-3)/, context: 128_000 },
  { name: /llava|vision|-vl/, context: 64_000, vision: true },
];

/** A deployment's name without its vendor: `openai/GPT-4o` is `gpt-4o`. */
export const familyName = (model: string): string => model.toLowerCase().slice(model.lastIndexOf("/") + 1);

const familyOf = (model: string): Family | undefined => {
  const name = familyName(model);
  return FAMILIES.find((family) => family.name.test(name));
};

/** For unknown models: the least that the host is made for, and the least that hosted ones usually have. */
const UNKNOWN_LOCAL_CONTEXT = 64_000;
const UNKNOWN_CONTEXT = 256_000;

/** Tokens of context that a model of this name usually has. */
export function usualContext(model: string, options: { readonly local: boolean }): number {
  return familyOf(model)?.context ?? (options.local ? UNKNOWN_LOCAL_CONTEXT : UNKNOWN_CONTEXT);
}

/** Tokens that one reply may have, for an endpoint that must be told when its owner did not say. */
export const usualOutput = (model: string): number => familyOf(model)?.output ?? 8192;

/** Tells whether a model reasons before it answers; its owner's word goes before its name. */
export const reasonsUsually = (model: string, takes?: boolean): boolean =>
  takes ?? familyOf(model)?.efforts !== undefined;

/** The way to ask a model to think; an unknown one gets a budget when its owner says that it reasons. */
export const thinkingOf = (model: string, takes?: boolean): "budget" | "adaptive" | undefined =>
  takes === false ? undefined : (familyOf(model)?.thinking ?? (takes === true ? "budget" : undefined));

/** Tells whether a model of this name can usually look at images; `undefined` for a name that nobody knows. */
export function usuallySees(model: string): boolean | undefined {
  const family = familyOf(model);
  return family && (family.vision ?? false);
}

/** The host's words for how much a model should think, from least to most. */
const EFFORTS = ["none", "minimal", ...GRADES, "xhigh", "max"];

/**
 * The effort to ask a model for: the nearest one that it takes. `undefined` when it takes none, or nobody asked.
 *
 * @param takes - the owner says that it takes one although its name is not known, or that it takes none
 */
export function effortFor(model: string, wish: string | undefined, takes?: boolean): string | undefined {
  if (wish === undefined || takes === false) return undefined;
  const offered = familyOf(model)?.efforts ?? (takes === true ? GRADES : []);
  const wanted = EFFORTS.indexOf(wish);
  if (wanted < 0) return offered.includes(wish) ? wish : undefined;
  const distance = (effort: string): number => Math.abs(EFFORTS.indexOf(effort) - wanted);
  return offered.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** gpt-4o, the o-series and gpt-5.x want their limit as `max_completion_tokens`, all others as `max_tokens`. */
export function outputLimitKey(model: string): "max_completion_tokens" | "max_tokens" {
  return /^(gpt-4o|o\d|gpt-5)/.test(familyName(model)) ? "max_completion_tokens" : "max_tokens";
}
