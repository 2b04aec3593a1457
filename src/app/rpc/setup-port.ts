import { defined } from "../../shared/json/defined.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { completeAddress, findLocalServers, kindNamed } from "../../providers/models/index.ts";
import type { SetupPort } from "../../rpc/index.ts";
import type { Check } from "../model-setup/provider-checks.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { type ModelWishes, providerOf } from "../model-setup/choices.ts";
import {
  checkChoice,
  contextNote,
  detect,
  completeChoice,
  vendorModels,
} from "../model-setup/complete-choice.ts";
import { describedPlace, places } from "../model-setup/places.ts";
import { saveChoices } from "../model-setup/save.ts";

/** The wizard's steps, for clients that ask their person themselves. */
export function setupPort(live: LiveSettings, platform: string): SetupPort {
  const environment = { env: live.env, platform };
  return {
    localServers: (signal) => findLocalServers({ clock: systemClock, signal }),
    async places(signal) {
      const servers = await findLocalServers({ clock: systemClock, signal });
      return places(servers, live.env).map((place) => describedPlace(place, live.env));
    },
    async detect(request) {
      const { baseUrl, ...wish } = wishOf(request);
      const provider = wish.provider ?? providerOf(baseUrl ?? "");
      if (baseUrl === undefined) return { models: await vendorModels({ ...wish, provider }, environment) };
      return (await detect({ ...wish, provider, baseUrl }, environment)) ?? { models: [] };
    },
    async save(wish, { check, anyway }) {
      const choices = await completeChoice({ ...wishOf(wish), model: wish.model }, environment);
      const checks: Check[] = [];
      if (check && choices.provider !== "demo")
        for await (const seen of checkChoice(choices, environment)) checks.push(seen);
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

/** What a client wishes: kinds by any of their names, and addresses also without a scheme. */
function wishOf({ provider, baseUrl, ...rest }: Parameters<SetupPort["detect"]>[0]): ModelWishes {
  return {
    ...rest,
    ...defined({
      provider: provider === undefined ? undefined : kindNamed(provider),
      baseUrl: baseUrl === undefined ? undefined : completeAddress(baseUrl),
    }),
  };
}
