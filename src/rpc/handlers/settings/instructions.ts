import { valueAt } from "./setting.ts";

/** The owner's own words for every session, from `agent.prompt`. */
export function ownPrompt(config: Readonly<Record<string, unknown>>): string {
  const prompt = valueAt(config, ["agent", "prompt"]);
  return typeof prompt === "string" && prompt.trim() !== "" ? prompt : "";
}
