const AMOUNTS = ["hidden", "collapsed", "expanded"] as const;
const PLACES = ["top", "bottom", "off"] as const;
/** `truncated` shows the beginning of a thought, `full` all of it. */
const MODES = ["collapsed", "truncated", "full"] as const;
const INDICATORS = ["ascii", "emoji", "kaomoji", "unicode"] as const;

const BUSY = ["steer", "queue", "interrupt"] as const;

/** How much of a kind of entry is shown. */
type Amount = (typeof AMOUNTS)[number];

/** The person's settings of the screen. */
export interface ScreenSettings {
  readonly thinking: Amount;
  /** Lines of a thought that is expanded; Infinity for all. */
  readonly mostThinking: number;
  readonly tools: Amount;
  readonly subagents: Amount;
  /** Nothing stands apart from what is before it. */
  readonly compact: boolean;
  /** Where the status line is, seen from the composer. */
  readonly status: (typeof PLACES)[number];
  /** The pictures that turn while something runs. */
  readonly indicator: (typeof INDICATORS)[number];
  /** What Enter does with a prompt while a turn runs; Tab does the other. */
  readonly enter: (typeof BUSY)[number];
}

export const DEFAULT_DISPLAY: ScreenSettings = {
  thinking: "collapsed",
  mostThinking: 12,
  tools: "expanded",
  subagents: "expanded",
  compact: false,
  status: "top",
  indicator: "unicode",
  enter: "steer",
};

/** The looks that follow from a configuration as it was written; what it says wrongly, it does not say. */
export function displaySettingsOf(config: Readonly<Record<string, unknown>>): ScreenSettings {
  const display = blockOf(config["display"]);
  const sections = blockOf(display["sections"]);
  const all = oneOf(AMOUNTS, display["details_mode"]);
  const mode = oneOf(MODES, display["thinking_mode"]);
  const usualThinking = mode === undefined || mode === "collapsed" ? DEFAULT_DISPLAY.thinking : "expanded";
  const place = STATUS_FLAGS.get(display["tui_statusbar"]) ?? oneOf(PLACES, display["tui_statusbar"]);
  return {
    thinking: oneOf(AMOUNTS, sections["thinking"]) ?? all ?? usualThinking,
    mostThinking: mode === "full" ? Infinity : DEFAULT_DISPLAY.mostThinking,
    tools: oneOf(AMOUNTS, sections["tools"]) ?? all ?? DEFAULT_DISPLAY.tools,
    subagents: oneOf(AMOUNTS, sections["subagents"]) ?? all ?? DEFAULT_DISPLAY.subagents,
    compact: display["tui_compact"] === true || display["tui_compact"] === "on",
    status: place ?? DEFAULT_DISPLAY.status,
    indicator: oneOf(INDICATORS, display["tui_status_indicator"]) ?? DEFAULT_DISPLAY.indicator,
    enter: oneOf(BUSY, display["busy_input_mode"]) ?? DEFAULT_DISPLAY.enter,
  };
}

/** YAML has its own words for on and off. */
const STATUS_FLAGS: ReadonlyMap<unknown, (typeof PLACES)[number]> = new Map<unknown, (typeof PLACES)[number]>(
  [
    [false, "off"],
    [true, "bottom"],
    ["on", "bottom"],
  ],
);

const oneOf = <T>(words: readonly T[], value: unknown): T | undefined => words.find((word) => word === value);

const blockOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};
