import { isJsonObject } from "../../shared/json/json.ts";
import type { Skin } from "../protocol/skin.ts";
import { paletteColours } from "./palettes.ts";

type Config = Readonly<Record<string, unknown>>;

/** The look that clients get when nothing else was chosen. */
const AGENT: Skin = {
  name: "agent",
  colors: {
    ui_primary: "#5fafd7",
    ui_accent: "#87d7af",
    ui_border: "#4e4e4e",
    ui_text: "#d0d0d0",
    ui_label: "#9e9e9e",
    ui_ok: "#87d787",
    ui_error: "#ff8787",
    ui_warn: "#ffd75f",
    prompt: "#5fafd7",
    shell_dollar: "#ffd75f",
  },
  branding: {
    agent_name: "agent",
    welcome: "What shall we do? /help lists the commands, ? the keys.",
    goodbye: "Until next time.",
    prompt_symbol: ">",
    help_header: "Keys and commands",
  },
  banner_logo: "",
  banner_hero: "",
  tool_prefix: "",
  help_header: "Keys and commands",
};

/** The same words without any colour. */
const PLAIN: Skin = { ...AGENT, name: "plain", colors: {} };

/** Colours alone change nothing else of the usual look. */
const QUIET: Skin["branding"] = { ...AGENT.branding, prompt_symbol: "›", goodbye: "" };

const BUILT_IN: ReadonlyMap<string, Skin> = new Map([
  ...[AGENT, PLAIN].map((skin) => [skin.name, skin] as const),
  ...paletteColours().map(([name, colors]) => [name, { ...AGENT, name, colors, branding: QUIET }] as const),
]);

/** The skins that can be chosen: the built-in ones, and the owner's own in the block `skins`. */
export const skinNames = (config: Config): readonly string[] => [
  ...new Set([...BUILT_IN.keys(), ...Object.keys(ownSkins(config))]),
];

/** A skin by its name; the usual one for a name that there is not. */
export function skinNamed(config: Config, name: string): Skin {
  const own = ownSkins(config)[name];
  const base = BUILT_IN.get(name) ?? AGENT;
  if (!isJsonObject(own)) return base;
  return {
    name,
    colors: { ...base.colors, ...wordsIn(own["colors"]) },
    branding: { ...base.branding, ...wordsIn(own["branding"]) },
    banner_logo: word(own["banner_logo"]) ?? base.banner_logo,
    banner_hero: word(own["banner_hero"]) ?? base.banner_hero,
    tool_prefix: word(own["tool_prefix"]) ?? base.tool_prefix,
    help_header: word(own["help_header"]) ?? base.help_header,
  };
}

const ownSkins = (config: Config): Readonly<Record<string, unknown>> =>
  isJsonObject(config["skins"]) ? config["skins"] : {};

const word = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function wordsIn(block: unknown): Record<string, string> {
  const entries = isJsonObject(block) ? Object.entries(block) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
