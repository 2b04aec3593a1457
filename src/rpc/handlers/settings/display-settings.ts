import { choice } from "./choice.ts";
import { refuse, type Setting, valueAt } from "./setting.ts";

const DETAILS = ["hidden", "collapsed", "expanded"] as const;
const SECTIONS = ["thinking", "tools", "subagents", "activity"] as const;

/** How clients look and behave: all in the block `display` of the configuration. */
export const DISPLAY_SETTINGS: Readonly<Record<string, Setting>> = {
  busy: choice({
    key: "busy",
    at: ["display", "busy_input_mode"],
    words: ["queue", "steer", "interrupt"],
    usual: "queue",
    bare: "show",
  }),
  verbose: choice({
    key: "verbose",
    at: ["display", "tool_progress"],
    words: ["off", "new", "all", "verbose"],
    usual: "all",
    bare: "next",
  }),
  details_mode: choice({
    key: "details_mode",
    at: ["display", "details_mode"],
    words: DETAILS,
    usual: "collapsed",
    bare: "show",
    along: [[["display", "sections"], undefined]],
  }),
  thinking_mode: choice({
    key: "thinking_mode",
    at: ["display", "thinking_mode"],
    words: ["collapsed", "truncated", "full"],
    usual: "truncated",
    bare: "show",
  }),
  compact: choice({
    key: "compact",
    at: ["display", "tui_compact"],
    words: ["on", "off"],
    usual: "off",
    bare: "toggle",
    stored: (word) => word === "on",
  }),
  statusbar: choice({
    key: "statusbar",
    at: ["display", "tui_statusbar"],
    words: ["off", "top", "bottom"],
    usual: "bottom",
    also: { on: "bottom" },
    bare: "toggle",
  }),
  mouse: choice({
    key: "mouse",
    at: ["display", "mouse_tracking"],
    words: ["off", "wheel", "buttons", "all"],
    usual: "off",
    also: { on: "all" },
    bare: "toggle",
  }),
  indicator: choice({
    key: "indicator",
    at: ["display", "tui_status_indicator"],
    words: ["ascii", "emoji", "kaomoji", "unicode"],
    usual: "unicode",
    bare: "show",
  }),
  terminal_title: choice({
    key: "terminal_title",
    at: ["display", "tui_title"],
    words: ["on", "off"],
    usual: "on",
    bare: "toggle",
    stored: (word) => word === "on",
  }),
  bell: choice({
    key: "bell",
    at: ["display", "tui_bell"],
    words: ["off", "bell", "notify"],
    usual: "bell",
    also: { on: "bell" },
    bare: "toggle",
  }),
  ...Object.fromEntries(SECTIONS.map((section) => [`details_mode.${section}`, sectionSetting(section)])),
};

/** How much one section of the transcript shows; nothing means: like all others. */
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
