import { isJsonObject } from "../../../shared/json/json.ts";
import { displaySettings } from "../../gateway/display.ts";
import { valueAt } from "./setting.ts";

type Config = Readonly<Record<string, unknown>>;

/** The personalities of the owner: a name, and what it means for the model. */
export function personalities(config: Config): ReadonlyMap<string, string> {
  const block = config["personalities"];
  const entries = isJsonObject(block) ? Object.entries(block) : [];
  return new Map(entries.flatMap(([name, words]) => (typeof words === "string" ? [[name, words]] : [])));
}

/** The owner's own words for every session, from `agent.prompt`. */
export function ownPrompt(config: Config): string {
  const prompt = valueAt(config, ["agent", "prompt"]);
  return typeof prompt === "string" ? prompt : "";
}

/** Joins the instructions of new sessions beside the host's own prompt: the chosen personality and the owner's words. */
export function personalInstructions(config: Config): string | undefined {
  const personality = personalities(config).get(displaySettings(config).personality) ?? "";
  const words = [personality, ownPrompt(config)].filter((text) => text.trim() !== "");
  return words.length === 0 ? undefined : words.join("\n\n");
}
