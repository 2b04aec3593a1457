const AMOUNTS = ["hidden", "collapsed", "expanded"] as const;
const PLACES = ["top", "bottom", "off"] as const;

/** How much of a kind of entry is shown. */
type Amount = (typeof AMOUNTS)[number];

/** How the person wants the screen, as far as they have said it. */
export interface Looks {
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

export const USUAL_LOOKS: Looks = {
  thinking: "collapsed",
  mostThinking: 12,
  tools: "expanded",
  subagents: "expanded",
  compact: false,
  status: "top",
};

/** The looks that follow from a configuration as it was written; what it says wrongly, it does not say. */
export function looksOf(config: Readonly<Record<string, unknown>>): Looks {
  const display = blockOf(config["display"]);
  const sections = blockOf(display["sections"]);
  const all = oneOf(AMOUNTS, display["details_mode"]);
  const inFull = display["thinking_mode"] === "full";
  const usualThinking = inFull ? "expanded" : USUAL_LOOKS.thinking;
  // YAML has its own word for off.
  const place = display["tui_statusbar"] === false ? "off" : oneOf(PLACES, display["tui_statusbar"]);
  return {
    thinking: oneOf(AMOUNTS, sections["thinking"]) ?? all ?? usualThinking,
    mostThinking: inFull ? Infinity : USUAL_LOOKS.mostThinking,
    tools: oneOf(AMOUNTS, sections["tools"]) ?? all ?? USUAL_LOOKS.tools,
    subagents: oneOf(AMOUNTS, sections["subagents"]) ?? all ?? USUAL_LOOKS.subagents,
    compact: display["tui_compact"] === true,
    status: place ?? USUAL_LOOKS.status,
  };
}

const oneOf = <T>(words: readonly T[], value: unknown): T | undefined => words.find((word) => word === value);

const blockOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};
