const AMOUNTS = ["hidden", "collapsed", "expanded"] as const;
const PLACES = ["top", "bottom", "off"] as const;

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
}

export const DEFAULT_DISPLAY: ScreenSettings = {
  thinking: "collapsed",
  mostThinking: 12,
  tools: "expanded",
  subagents: "expanded",
  compact: false,
  status: "top",
};

/** The looks that follow from a configuration as it was written; what it says wrongly, it does not say. */
export function displaySettingsOf(config: Readonly<Record<string, unknown>>): ScreenSettings {
  const display = blockOf(config["display"]);
  const sections = blockOf(display["sections"]);
  const all = oneOf(AMOUNTS, display["details_mode"]);
  const inFull = display["thinking_mode"] === "full";
  const usualThinking = inFull ? "expanded" : DEFAULT_DISPLAY.thinking;
  // YAML has its own word for off.
  const place = display["tui_statusbar"] === false ? "off" : oneOf(PLACES, display["tui_statusbar"]);
  return {
    thinking: oneOf(AMOUNTS, sections["thinking"]) ?? all ?? usualThinking,
    mostThinking: inFull ? Infinity : DEFAULT_DISPLAY.mostThinking,
    tools: oneOf(AMOUNTS, sections["tools"]) ?? all ?? DEFAULT_DISPLAY.tools,
    subagents: oneOf(AMOUNTS, sections["subagents"]) ?? all ?? DEFAULT_DISPLAY.subagents,
    compact: display["tui_compact"] === true,
    status: place ?? DEFAULT_DISPLAY.status,
  };
}

const oneOf = <T>(words: readonly T[], value: unknown): T | undefined => words.find((word) => word === value);

const blockOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};
