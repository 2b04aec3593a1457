import { paramError } from "../handler.ts";
import { type ChoiceOptions, choice } from "./choice.ts";
import { refuse, type Setting, valueAt } from "./setting.ts";

const DETAILS = ["hidden", "collapsed", "expanded"] as const;
const SECTIONS = ["thinking", "tools", "subagents", "activity"] as const;

/** A setting of the block `display` that is one of some words, without its key. */
type DisplayChoice = Omit<ChoiceOptions, "key" | "at">;

const onOff = (word: string): boolean => word === "on";

/** The keys of the settings, each with its place in the block `display`. */
const CHOICES: Readonly<Record<string, readonly [at: string, choice: DisplayChoice]>> = {
  busy: ["busy_input_mode", { words: ["queue", "steer", "interrupt"], usual: "queue", bare: "show" }],
  verbose: ["tool_progress", { words: ["off", "new", "all", "verbose"], usual: "all", bare: "next" }],
  details_mode: [
    "details_mode",
    { words: DETAILS, usual: "collapsed", bare: "show", along: [[["display", "sections"], undefined]] },
  ],
  thinking_mode: [
    "thinking_mode",
    { words: ["collapsed", "truncated", "full"], usual: "collapsed", bare: "show" },
  ],
  compact: ["tui_compact", { words: ["on", "off"], usual: "off", bare: "toggle", stored: onOff }],
  statusbar: [
    "tui_statusbar",
    { words: ["off", "top", "bottom"], usual: "bottom", also: { on: "bottom" }, bare: "toggle" },
  ],
  indicator: [
    "tui_status_indicator",
    { words: ["ascii", "emoji", "kaomoji", "unicode"], usual: "unicode", bare: "show" },
  ],
  terminal_title: ["tui_title", { words: ["on", "off"], usual: "on", bare: "toggle", stored: onOff }],
  bell: [
    "tui_bell",
    { words: ["off", "bell", "notify"], usual: "bell", also: { on: "bell" }, bare: "toggle" },
  ],
};

/** The mouse is never taken, so that it selects and copies as the terminal lets it. */
const MOUSE: Setting = {
  get: () => ({ value: "off" }),
  set(given) {
    if (given.trim().toLowerCase() === "off") return { value: "off" };
    const message = "The mouse stays off: selecting, copying and scrolling are your terminal's own.";
    throw paramError("value", message);
  },
};

/** The look and behaviour of clients: all in the block `display` of the configuration. */
export const DISPLAY_SETTINGS: Readonly<Record<string, Setting>> = Object.fromEntries([
  ...Object.entries(CHOICES).map(([key, [at, options]]) => [
    key,
    choice({ key, at: ["display", at], ...options }),
  ]),
  ["mouse", MOUSE],
  ...SECTIONS.map((section) => [`details_mode.${section}`, sectionSetting(section)]),
]);

/** The detail that one section of the transcript shows; nothing means: like all others. */
function sectionSetting(section: string): Setting {
  const at = ["display", "sections", section];
  return {
    get({ gateway }) {
      const value = valueAt(gateway.ports.config.values(), at);
      return { value: DETAILS.find((word) => word === value) ?? "" };
    },
    async set(given, { gateway }) {
      const value = given.trim().toLowerCase();
      const word = DETAILS.find((each) => each === value);
      if (word === undefined && value !== "") refuse(`details_mode.${section}`, given, DETAILS);
      await gateway.ports.config.change([[at, word]]);
      return { value };
    },
  };
}
