import type { Records } from "../../core/index.ts";
import { CHAT_NAMES } from "../../chat/names.ts";
import { PersonaBook } from "../../people/personas/index.ts";
import { Roster } from "../../people/roster/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { randomHex } from "../../shared/crypto/random-hex.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { platformBlock } from "../config/block.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { HomePersonas } from "./home-personas.ts";

/** Opens the personas of a home, as its settings and records have them. */
export function homePersonas(records: Records, live: LiveSettings, clock: Clock): HomePersonas {
  const roster = new Roster(records, { clock, hex: randomHex });
  return new HomePersonas({
    clock,
    book: new PersonaBook(records, { clock }),
    personaOf: async (userId) => (await roster.find(userId))?.persona,
    config: () => live.current.blocks,
    extraOf: (platform) => extraOf(live.current, platform),
    parseModel: (text) => live.models.parse(text),
  });
}

/** The block `extra` of a platform, under its own name or the interface's; empty when there is none. */
export function extraOf(
  source: Parameters<typeof platformBlock>[0],
  platform: string,
): Readonly<Record<string, unknown>> {
  const names = Object.hasOwn(CHAT_NAMES, platform)
    ? // The key was looked for just now.
      [platform, CHAT_NAMES[platform as keyof typeof CHAT_NAMES]]
    : [platform];
  for (const name of names) {
    const { extra } = platformBlock(source, name);
    if (isJsonObject(extra)) return extra;
  }
  return {};
}
