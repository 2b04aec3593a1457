import { isJsonObject } from "../../shared/json/json.ts";

const BUSY = ["queue", "steer", "interrupt"] as const;
const DETAILS = ["off", "new", "all", "verbose"] as const;

/** The settings of `display` that the gateway itself goes by. */
export interface DisplaySettings {
  readonly busyMode: (typeof BUSY)[number];
  /** The detail in which clients are told of tool calls. */
  readonly toolDetail: (typeof DETAILS)[number];
  readonly personality: string;
  readonly skin: string;
}

/** Reads the block `display`; a value that is none of those it may have counts as absent. */
export function displaySettings(config: Readonly<Record<string, unknown>>): DisplaySettings {
  const block = isJsonObject(config["display"]) ? config["display"] : {};
  return {
    busyMode: oneOf(BUSY, block["busy_input_mode"]) ?? "queue",
    // YAML reads a bare `off` as false.
    toolDetail: oneOf(DETAILS, block["tool_progress"] === false ? "off" : block["tool_progress"]) ?? "all",
    personality: words(block["personality"]),
    skin: words(block["skin"]),
  };
}

const oneOf = <T extends string>(known: readonly T[], value: unknown): T | undefined =>
  known.find((each) => each === value);

const words = (value: unknown): string => (typeof value === "string" ? value : "");
