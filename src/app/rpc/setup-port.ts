import { defined } from "../../shared/json/defined.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { findLocalServers } from "../../providers/models/index.ts";
import type { SetupPort } from "../../rpc/index.ts";
import type { Check } from "../model-setup/provider-check.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { providerOf } from "../model-setup/choices.ts";
import { checkChoice, contextNote, detect, completeChoice, vendorModels } from "../model-setup/examine.ts";
import { saveChoices } from "../model-setup/save.ts";

/** The wizard's steps, for clients that ask their person themselves. */
export function setupPort(live: LiveSettings, platform: string): SetupPort {
  const surroundings = { env: live.env, platform };
  return {
    localServers: (signal) => findLocalServers({ clock: systemClock, signal }),
    async detect({ baseUrl, ...wish }) {
      const provider = wish.provider ?? providerOf(baseUrl ?? "");
      if (baseUrl === undefined) return { models: await vendorModels({ ...wish, provider }, surroundings) };
      return (await detect({ ...wish, provider, baseUrl }, surroundings)) ?? { models: [] };
    },
    async save(wish, { check, anyway }) {
      const choices = await completeChoice(wish, surroundings);
      const checks: Check[] = [];
      if (check && choices.provider !== "demo")
        for await (const seen of checkChoice(choices, surroundings)) checks.push(seen);
      const saved = anyway || checks.every(({ ok }) => ok);
      if (saved) {
        await saveChoices(choices, live.current);
        await live.reloadEnvironment();
        await live.refresh();
      }
      const { provider, model } = choices;
      return { saved, provider, model, checks, ...defined({ note: contextNote(choices) }) };
    },
  };
}
