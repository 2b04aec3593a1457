import type { Records } from "../../core/index.ts";
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
    extraOf(platform) {
      const { extra } = platformBlock(live.current, platform);
      return isJsonObject(extra) ? extra : {};
    },
    parseModel: (text) => live.models.parse(text),
  });
}
